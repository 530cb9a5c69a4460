//! [`Connection`]: requests and answers with one broker.

use std::io;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use highwater_wire::header::{RequestHeader, decode_response_header, encode_request_header};
use highwater_wire::messages::{ApiVersionsRequest, ApiVersionsResponse};
use highwater_wire::{
    ApiKey, EncodeError, ErrorCode, Message, Reader, Request, Segment, Str, UnknownTags, Writer,
    frame,
};
use tokio::net::TcpStream;

use crate::link::{Answer, Link};
use crate::versions::highest_common;
use crate::{ClientError, ConnectOptions, Versions};

/// A connection to one broker. Clones share it; it is closed when the last one is dropped.
///
/// Calls may be made at the same time: they go out in the order they are first polled, and answers
/// come in that order, so one that waits long at the broker holds up those behind it.
#[derive(Clone)]
pub struct Connection {
    link: Arc<Link>,
    versions: Arc<Versions>,
    client_id: Str,
    request_timeout: Duration,
}

impl Connection {
    /// Connects to `host:port` and asks what the broker offers.
    ///
    /// # Errors
    /// `Connect`, `TimedOut`, `Closed`, `Broker`, `Decode`.
    pub async fn connect(address: &str, client_id: &str) -> Result<Connection, ClientError> {
        Connection::connect_with(address, &ConnectOptions::named(client_id)).await
    }

    /// As [`Connection::connect`].
    ///
    /// # Errors
    /// As [`Connection::connect`].
    pub async fn connect_with(
        address: &str,
        options: &ConnectOptions,
    ) -> Result<Connection, ClientError> {
        let mut connection = Connection::connect_raw(address, options).await?;
        connection.versions = Arc::new(connection.negotiate(options.connect_timeout).await?);
        Ok(connection)
    }

    /// Connects and asks nothing: only calls that name their version work. For tests.
    ///
    /// # Errors
    /// `Connect`.
    pub async fn connect_raw(
        address: &str,
        options: &ConnectOptions,
    ) -> Result<Connection, ClientError> {
        let fail = |kind, reason: String| ClientError::Connect {
            address: address.into(),
            kind,
            reason: reason.into(),
        };
        let after = options.connect_timeout;
        let stream = match tokio::time::timeout(after, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(fail(error.kind(), plain_words(&error))),
            Err(_) => {
                let reason = format!("no connection within {after:?}");
                return Err(fail(io::ErrorKind::TimedOut, reason));
            }
        };
        stream.set_nodelay(true).map_err(|error| fail(error.kind(), plain_words(&error)))?;
        Ok(Connection {
            link: Arc::new(Link::new(stream, address.into(), options.answer_bytes_max)),
            versions: Arc::default(),
            client_id: options.client_id.clone(),
            request_timeout: options.request_timeout,
        })
    }

    /// Asks for the versions; an old broker answers the newest question in the oldest form, which
    /// says how to ask again.
    async fn negotiate(&self, timeout: Duration) -> Result<Versions, ClientError> {
        let request = ApiVersionsRequest {
            client_software_name: Str::from_static("highwater"),
            client_software_version: Str::from_static(env!("CARGO_PKG_VERSION")),
            ..ApiVersionsRequest::default()
        };
        let ours = ApiVersionsRequest::VALID;
        let mut answer = self.ask_versions(&request, *ours.end(), timeout).await?;
        if ErrorCode(answer.error_code) == ErrorCode::UNSUPPORTED_VERSION {
            let theirs = Versions::new(answer).of(ApiKey::API_VERSIONS).unwrap_or(0..=0);
            let version = highest_common(&theirs, &ours).unwrap_or(0);
            answer = self.ask_versions(&request, version, timeout).await?;
        }
        ClientError::check("asking for the versions", answer.error_code, None)?;
        Ok(Versions::new(answer))
    }

    async fn ask_versions(
        &self,
        request: &ApiVersionsRequest,
        version: i16,
        timeout: Duration,
    ) -> Result<ApiVersionsResponse, ClientError> {
        let answer = self.start(request, version)?;
        let mut body = self.body(answer, ApiKey::API_VERSIONS, version, timeout).await?;
        let code = body.clone().i16().map(ErrorCode);
        let version = if code == Ok(ErrorCode::UNSUPPORTED_VERSION) { 0 } else { version };
        ApiVersionsResponse::decode(&mut body, version)
            .map_err(|error| self.unreadable(ApiKey::API_VERSIONS, version, error))
    }

    /// As it was given to [`Connection::connect`].
    pub fn address(&self) -> &str {
        self.link.address()
    }

    /// What the broker offers.
    pub fn versions(&self) -> &Versions {
        &self.versions
    }

    /// The version in which [`Connection::call`] asks.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn version_of<R: Request>(&self) -> Result<i16, ClientError> {
        self.versions.common::<R>().ok_or_else(|| ClientError::Unsupported {
            address: self.link.address().clone(),
            api: R::KEY,
            theirs: self.versions.of(R::KEY),
            ours: R::VALID,
        })
    }

    /// Asks in the highest version that both sides have.
    ///
    /// # Errors
    /// `Unsupported`, `Encode` (the request needs a field that this version lacks), `Closed`,
    /// `TimedOut` (which closes the connection), `Decode`. Error codes inside the answer are the
    /// caller's.
    pub async fn call<R: Request>(&self, request: &R) -> Result<R::Response, ClientError> {
        self.call_within(request, self.request_timeout).await
    }

    /// As [`Connection::call`], with a timeout of its own.
    ///
    /// # Errors
    /// As [`Connection::call`].
    pub async fn call_within<R: Request>(
        &self,
        request: &R,
        timeout: Duration,
    ) -> Result<R::Response, ClientError> {
        let version = self.version_of::<R>()?;
        self.call_version_within(request, version, timeout).await
    }

    /// Asks in a version of the caller's choice, whether the broker offers it or not.
    ///
    /// # Errors
    /// As [`Connection::call`].
    pub async fn call_version<R: Request>(
        &self,
        request: &R,
        version: i16,
    ) -> Result<R::Response, ClientError> {
        self.call_version_within(request, version, self.request_timeout).await
    }

    /// As [`Connection::call_version`], with a timeout of its own.
    ///
    /// # Errors
    /// As [`Connection::call`].
    pub async fn call_version_within<R: Request>(
        &self,
        request: &R,
        version: i16,
        timeout: Duration,
    ) -> Result<R::Response, ClientError> {
        self.begin(request, version)?.wait(timeout).await
    }

    /// Sends a request now; its answer is awaited later. So requests begun one after the other go
    /// out in this order.
    ///
    /// # Errors
    /// `Encode`, `Closed`.
    pub fn begin<R: Request>(&self, request: &R, version: i16) -> Result<Begun<R>, ClientError> {
        let answer = self.start(request, version)?;
        Ok(Begun { connection: self.clone(), answer, version, request: PhantomData })
    }

    /// Sends a request to which no answer comes (Produce with `acks=0`).
    ///
    /// # Errors
    /// `Unsupported`, `Encode`, `Closed`.
    pub fn send_only<R: Request>(&self, request: &R) -> Result<(), ClientError> {
        self.send_only_version(request, self.version_of::<R>()?)
    }

    /// As [`Connection::send_only`], in a version of the caller's choice.
    ///
    /// # Errors
    /// As [`Connection::send_only`].
    pub fn send_only_version<R: Request>(
        &self,
        request: &R,
        version: i16,
    ) -> Result<(), ClientError> {
        self.link.send(false, |id| self.encode(request, version, id)).map(|_| ())
    }

    /// Sends a body made elsewhere; gives the answer's body.
    ///
    /// # Errors
    /// `Encode`, `Closed`, `TimedOut`, `Decode`.
    pub async fn call_bytes(
        &self,
        key: ApiKey,
        version: i16,
        body: Bytes,
    ) -> Result<Bytes, ClientError> {
        let answer = self.link.send(true, |id| {
            let mut writer = Writer::new();
            self.write_header(&mut writer, key, version, id)?;
            let mut segments = writer.finish();
            segments.push(Segment::Bytes(body));
            self.pieces(key, version, segments)
        })?;
        Ok(self.body(answer, key, version, self.request_timeout).await?.rest())
    }

    /// Sends a frame made elsewhere, header and all, behind its length; gives the frame that comes
    /// back. For tests.
    ///
    /// # Errors
    /// `Closed`, `TimedOut`.
    pub async fn call_frame(&self, frame: Bytes) -> Result<Bytes, ClientError> {
        let length = Bytes::copy_from_slice(&(frame.len() as i32).to_be_bytes());
        let answer = self.link.send_raw(vec![length, frame], true)?;
        self.answer(answer, "a raw frame", self.request_timeout).await
    }

    /// Sends bytes as they are and expects nothing back. For tests.
    ///
    /// # Errors
    /// `Closed`.
    pub fn send_bytes(&self, bytes: Bytes) -> Result<(), ClientError> {
        self.link.send_raw(vec![bytes], false).map(|_| ())
    }

    /// Resolves when the connection is closed, with the reason.
    pub async fn closed(&self) -> ClientError {
        self.link.closed().await
    }

    pub fn is_closed(&self) -> bool {
        self.link.failure().is_some()
    }

    /// Closes it for all clones.
    pub fn close(&self) {
        self.link.close("this side closed it");
    }

    fn start<R: Request>(&self, request: &R, version: i16) -> Result<Option<Answer>, ClientError> {
        self.link.send(true, |id| self.encode(request, version, id))
    }

    fn encode<R: Request>(
        &self,
        request: &R,
        version: i16,
        correlation_id: i32,
    ) -> Result<Vec<Bytes>, ClientError> {
        let mut writer = Writer::new();
        self.write_header(&mut writer, R::KEY, version, correlation_id)?;
        request
            .encode(&mut writer, version)
            .map_err(|error| self.unspeakable(R::KEY, version, error))?;
        self.pieces(R::KEY, version, writer.finish())
    }

    fn write_header(
        &self,
        writer: &mut Writer,
        key: ApiKey,
        version: i16,
        correlation_id: i32,
    ) -> Result<(), ClientError> {
        let header = RequestHeader {
            api_key: key,
            api_version: version,
            correlation_id,
            client_id: Some(self.client_id.clone()),
            unknown_tagged_fields: UnknownTags::default(),
        };
        encode_request_header(writer, &header)
            .map_err(|error| self.unspeakable(key, version, error))
    }

    /// The frame with its length.
    fn pieces(
        &self,
        key: ApiKey,
        version: i16,
        segments: Vec<Segment>,
    ) -> Result<Vec<Bytes>, ClientError> {
        let len = segments.iter().map(Segment::len).sum();
        let length = frame::encode_length(&segments)
            .ok_or_else(|| self.unspeakable(key, version, EncodeError::TooLong(len)))?;
        let mut pieces = vec![Bytes::copy_from_slice(&length)];
        for segment in segments {
            match segment {
                Segment::Bytes(bytes) => pieces.push(bytes),
                Segment::File(_) => {
                    return Err(ClientError::invalid("a client sends no parts of files"));
                }
            }
        }
        Ok(pieces)
    }

    /// Awaits an answer and reads its header.
    async fn body(
        &self,
        answer: Option<Answer>,
        key: ApiKey,
        version: i16,
        timeout: Duration,
    ) -> Result<Reader, ClientError> {
        let mut reader = Reader::new(self.answer(answer, key.name(), timeout).await?);
        decode_response_header(&mut reader, key, version)
            .map_err(|error| self.unreadable(key, version, error))?;
        Ok(reader)
    }

    async fn answer(
        &self,
        answer: Option<Answer>,
        what: &'static str,
        after: Duration,
    ) -> Result<Bytes, ClientError> {
        let answer = async {
            match answer {
                Some(answer) => answer.await.ok(),
                None => None,
            }
        };
        match tokio::time::timeout(after, answer).await {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err(self.link.closed().await),
            Err(_) => {
                // Answers come in order: those behind this one would wait as well.
                self.link.close("it was too slow to answer");
                let address = self.link.address().clone();
                Err(ClientError::TimedOut { address, what, after })
            }
        }
    }

    fn unspeakable(&self, api: ApiKey, version: i16, error: EncodeError) -> ClientError {
        ClientError::Encode { address: self.link.address().clone(), api, version, error }
    }

    fn unreadable(
        &self,
        api: ApiKey,
        version: i16,
        error: highwater_wire::DecodeError,
    ) -> ClientError {
        ClientError::Decode { address: self.link.address().clone(), api, version, error }
    }
}

/// A request that is under way.
pub struct Begun<R> {
    connection: Connection,
    answer: Option<Answer>,
    version: i16,
    request: PhantomData<fn() -> R>,
}

impl<R: Request> Begun<R> {
    /// Waits for the answer.
    ///
    /// # Errors
    /// `Closed`, `TimedOut` (which closes the connection), `Decode`.
    pub async fn wait(self, timeout: Duration) -> Result<R::Response, ClientError> {
        let Begun { connection, answer, version, .. } = self;
        let mut body = connection.body(answer, R::KEY, version, timeout).await?;
        R::Response::decode(&mut body, version)
            .map_err(|error| connection.unreadable(R::KEY, version, error))
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("address", self.link.address()).finish_non_exhaustive()
    }
}

/// Without the operating system's number.
fn plain_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".into(),
        io::ErrorKind::AddrNotAvailable => "the address is not available".into(),
        _ => error.to_string(),
    }
}
