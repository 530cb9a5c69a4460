//! A blocking client over one connection, for what is right and for what is wrong.

use std::fmt;
use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use bytes::Bytes;
use highwater_wire::header::{self, RequestHeader};
use highwater_wire::{ApiKey, Message, Reader, Request, Str, UnknownTags, Writer, frame};

/// Long enough for Kafka on a busy machine.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);
/// The longest answer that is read.
const ANSWER_BYTES_MAX: usize = 256 << 20;

/// What came instead of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WireError {
    /// The broker closed the connection.
    Closed,
    /// Nothing came in time.
    NoAnswer,
    /// An answer that does not fit its schema.
    Unreadable(String),
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireError::Closed => f.write_str("the connection was closed"),
            WireError::NoAnswer => f.write_str("no answer came in time"),
            WireError::Unreadable(why) => write!(f, "unreadable answer: {why}"),
        }
    }
}

impl From<io::Error> for WireError {
    fn from(error: io::Error) -> WireError {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => WireError::NoAnswer,
            _ => WireError::Closed,
        }
    }
}

/// A request on its way; answers come in the order of the requests.
#[derive(Debug)]
#[must_use = "its answer comes before those of later requests"]
pub struct Sent<R> {
    correlation_id: i32,
    version: i16,
    kind: PhantomData<R>,
}

#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    client_id: Option<Str>,
    next_id: i32,
}

impl Wire {
    pub fn connect(address: &str) -> Wire {
        Wire::try_connect(address).unwrap_or_else(|e| panic!("connecting to {address}: {e}"))
    }

    pub fn try_connect(address: &str) -> io::Result<Wire> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER_WITHIN))?;
        stream.set_write_timeout(Some(ANSWER_WITHIN))?;
        Ok(Wire { stream, client_id: Some("testkit".into()), next_id: 1 })
    }

    /// Kafka names group members after it.
    pub fn with_client_id(mut self, client_id: Option<&str>) -> Wire {
        self.client_id = client_id.map(Str::from);
        self
    }

    /// How long to wait for answers, and for the broker to take what is sent.
    pub fn with_timeout(self, timeout: Duration) -> Wire {
        self.stream.set_read_timeout(Some(timeout)).expect("a timeout above zero");
        self.stream.set_write_timeout(Some(timeout)).expect("a timeout above zero");
        self
    }

    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Sends, and waits for the answer; the test fails if none comes.
    pub fn call<R: Request>(&mut self, version: i16, request: &R) -> R::Response {
        self.try_call(version, request).unwrap_or_else(|e| panic!("{} v{version}: {e}", R::NAME))
    }

    pub fn try_call<R: Request>(
        &mut self,
        version: i16,
        request: &R,
    ) -> Result<R::Response, WireError> {
        let sent = self.try_send(version, request)?;
        self.try_receive(sent)
    }

    /// Sends without waiting.
    pub fn send<R: Request>(&mut self, version: i16, request: &R) -> Sent<R> {
        self.try_send(version, request).unwrap_or_else(|e| panic!("{}: {e}", R::NAME))
    }

    pub fn try_send<R: Request>(
        &mut self,
        version: i16,
        request: &R,
    ) -> Result<Sent<R>, WireError> {
        let (correlation_id, payload) = self.encode(R::KEY, version, |w| {
            request.encode(w, version).unwrap_or_else(|e| panic!("{}: {e}", R::NAME));
        });
        self.send_frame(&payload)?;
        Ok(Sent { correlation_id, version, kind: PhantomData })
    }

    /// The answer to the oldest request whose answer was not received yet, which must be `sent`.
    pub fn receive<R: Request>(&mut self, sent: Sent<R>) -> R::Response {
        self.try_receive(sent).unwrap_or_else(|e| panic!("{}: {e}", R::NAME))
    }

    pub fn try_receive<R: Request>(&mut self, sent: Sent<R>) -> Result<R::Response, WireError> {
        let answer = self.receive_frame()?;
        let mut reader = Reader::new(answer);
        let unreadable = |e| WireError::Unreadable(format!("{} v{}: {e}", R::NAME, sent.version));
        let id = header::decode_response_header(&mut reader, R::KEY, sent.version);
        let id = id.map_err(unreadable)?;
        assert_eq!(id, sent.correlation_id, "{}: the answer to another request", R::NAME);
        let response = R::Response::decode(&mut reader, sent.version).map_err(unreadable)?;
        match reader.remaining() {
            0 => Ok(response),
            left => Err(WireError::Unreadable(format!("{}: {left} bytes too many", R::NAME))),
        }
    }

    /// A request's header and body, without the length that begins a frame, and its correlation
    /// id.
    pub fn encode(
        &mut self,
        key: ApiKey,
        version: i16,
        body: impl FnOnce(&mut Writer),
    ) -> (i32, Bytes) {
        let correlation_id = self.next_id;
        self.next_id += 1;
        let header = RequestHeader {
            api_key: key,
            api_version: version,
            correlation_id,
            client_id: self.client_id.clone(),
            unknown_tagged_fields: UnknownTags::default(),
        };
        let mut w = Writer::new();
        header::encode_request_header(&mut w, &header).expect("a short client id");
        body(&mut w);
        (correlation_id, w.into_bytes().expect("bytes only"))
    }

    /// Sends a length, and then these bytes.
    pub fn send_frame(&mut self, payload: &[u8]) -> Result<(), WireError> {
        let mut bytes = i32::try_from(payload.len()).expect("a frame").to_be_bytes().to_vec();
        bytes.extend_from_slice(payload);
        self.send_raw(&bytes)
    }

    /// Sends just these bytes.
    pub fn send_raw(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        Ok(self.stream.write_all(bytes)?)
    }

    /// The next frame, without its length.
    pub fn receive_frame(&mut self) -> Result<Bytes, WireError> {
        let mut length = [0; frame::LENGTH_BYTES];
        self.stream.read_exact(&mut length)?;
        let length = frame::decode_length(length, ANSWER_BYTES_MAX)
            .ok_or_else(|| WireError::Unreadable(format!("a frame of length {length:?}")))?;
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }

    /// Tells the broker that nothing more will be sent; answers can still come.
    pub fn finish_sending(&mut self) {
        self.stream.shutdown(Shutdown::Write).expect("connected");
    }

    /// The broker closes the connection without another word.
    #[track_caller]
    pub fn expect_closed(&mut self) {
        match self.receive_frame() {
            Err(WireError::Closed) => {}
            Err(other) => panic!("instead of closing: {other}"),
            Ok(frame) => panic!("instead of closing, the broker answered {frame:?}"),
        }
    }

    /// Nothing comes for a while, and the connection stays.
    #[track_caller]
    pub fn expect_silence(&mut self, wait: Duration) {
        let before = self.stream.read_timeout().expect("connected");
        self.stream.set_read_timeout(Some(wait)).expect("a timeout above zero");
        match self.receive_frame() {
            Err(WireError::NoAnswer) => {}
            Err(other) => panic!("instead of silence: {other}"),
            Ok(frame) => panic!("instead of silence, the broker answered {frame:?}"),
        }
        self.stream.set_read_timeout(before).expect("as before");
    }
}
