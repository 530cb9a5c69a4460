//! [`Str`]: an immutable string that is a slice of the frame it came in.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use bytes::Bytes;

/// UTF-8 text over shared bytes. Cloning it copies no text.
///
/// A `Str` that was decoded keeps its whole frame alive: state that outlives the request holds
/// [`Str::detached`].
#[derive(Clone, Default)]
pub struct Str(Bytes);

impl Str {
    pub const fn from_static(text: &'static str) -> Self {
        Str(Bytes::from_static(text.as_bytes()))
    }

    /// As Kafka does, replaces what is not UTF-8 by U+FFFD: such a name is then merely unknown or
    /// invalid, not an unreadable request.
    pub(crate) fn from_wire(bytes: Bytes) -> Self {
        match std::str::from_utf8(&bytes) {
            Ok(_) => Str(bytes),
            Err(_) => Str::from(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    pub fn as_str(&self) -> &str {
        // SAFETY: every constructor takes the bytes from a `str` or has checked them, and `Bytes`
        // never change.
        #[expect(unsafe_code, reason = "checking UTF-8 again on every use would cost a scan")]
        unsafe {
            std::str::from_utf8_unchecked(&self.0)
        }
    }

    /// The same text in memory of its own.
    pub fn detached(&self) -> Str {
        Str(Bytes::copy_from_slice(&self.0))
    }

    pub fn as_bytes(&self) -> &Bytes {
        &self.0
    }
}

impl Deref for Str {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Str {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Str {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl From<&str> for Str {
    fn from(text: &str) -> Self {
        Str(Bytes::copy_from_slice(text.as_bytes()))
    }
}

impl From<&String> for Str {
    fn from(text: &String) -> Self {
        Str::from(text.as_str())
    }
}

impl From<String> for Str {
    fn from(text: String) -> Self {
        Str(Bytes::from(text.into_bytes()))
    }
}

impl From<Str> for String {
    fn from(text: Str) -> Self {
        text.as_str().to_owned()
    }
}

impl PartialEq for Str {
    fn eq(&self, other: &Str) -> bool {
        self.0 == other.0
    }
}

impl Eq for Str {}

impl PartialEq<str> for Str {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Str {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for Str {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<Str> for str {
    fn eq(&self, other: &Str) -> bool {
        self == other.as_str()
    }
}

impl PartialEq<Str> for &str {
    fn eq(&self, other: &Str) -> bool {
        *self == other.as_str()
    }
}

impl PartialOrd for Str {
    fn partial_cmp(&self, other: &Str) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Str {
    fn cmp(&self, other: &Str) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Str {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn is_found_by_str_and_ordered_like_str() {
        let map = BTreeMap::from([(Str::from("b"), 2), (Str::from_static("a"), 1)]);
        assert_eq!(map.get("b"), Some(&2));
        assert_eq!(map.keys().next().map(Str::as_str), Some("a"));
    }

    #[test]
    fn text_that_is_not_utf8_is_replaced() {
        assert_eq!(Str::from_wire(Bytes::from_static(b"a\xffb")), "a\u{fffd}b");
    }

    #[test]
    fn detached_text_shares_nothing() {
        let frame = Bytes::from(b"group".to_vec());
        let text = Str::from_wire(frame.slice(..));
        assert_eq!(text.as_bytes().as_ptr(), frame.as_ptr());
        assert_ne!(text.detached().as_bytes().as_ptr(), frame.as_ptr());
        assert_eq!(text.detached(), text);
    }
}
