//! The page's socket to the home of its place: the opening handshake and the frames that the room sends (RFC 6455). It
//! says nothing itself, so nothing is masked.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The longest word that is read, in bytes: ten times what the room says with eight lines.
const MOST_WORD_BYTES: usize = 64 * 1_024;

/// The longest head of an answer.
const MOST_HEAD_BYTES: usize = 16 * 1_024;

/// Any sixteen bytes will do: nothing here depends on the answer to them.
const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";

/// What a server sends.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// A text.
    Text(Vec<u8>),
    /// The end.
    Close,
    /// Anything else.
    Other,
}

/// An open socket.
#[derive(Debug)]
pub struct Socket {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Socket {
    /// Opens one at `path`, as who brings `ticket`.
    pub async fn open(authority: &str, path: &str, ticket: &str) -> Result<Self, String> {
        let stream = TcpStream::connect(authority)
            .await
            .map_err(|error| format!("cannot connect: {error}"))?;
        let mut socket = Self {
            stream,
            read: Vec::new(),
        };
        let asked = format!(
            "GET {path} HTTP/1.1\r\nHost: {authority}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\nAuthorization: Bearer {ticket}\r\n\r\n"
        );
        socket
            .stream
            .write_all(asked.as_bytes())
            .await
            .map_err(|error| error.to_string())?;
        let end = loop {
            if let Some(end) = end_of_head(&socket.read) {
                break end;
            }
            if socket.read.len() > MOST_HEAD_BYTES {
                return Err("an answer without an end".to_owned());
            }
            socket.more().await?;
        };
        let head = String::from_utf8_lossy(&socket.read[..end]).into_owned();
        socket.read.drain(..end);
        match head.starts_with("HTTP/1.1 101 ") {
            true => Ok(socket),
            false => Err(head.lines().next().unwrap_or_default().to_owned()),
        }
    }

    /// The next text; `None`: the room closed the socket.
    pub async fn word(&mut self) -> Result<Option<Vec<u8>>, String> {
        loop {
            match frame(&mut self.read)? {
                None => self.more().await?,
                Some(Frame::Text(text)) => return Ok(Some(text)),
                Some(Frame::Close) => return Ok(None),
                Some(Frame::Other) => {}
            }
        }
    }

    async fn more(&mut self) -> Result<(), String> {
        match self.stream.read_buf(&mut self.read).await {
            Ok(0) => Err("the connection ended".to_owned()),
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn end_of_head(read: &[u8]) -> Option<usize> {
    let end = b"\r\n\r\n";
    let at = read.windows(end.len()).position(|window| window == end)?;
    Some(at + end.len())
}

/// Takes the first whole frame out of what was read.
pub fn frame(read: &mut Vec<u8>) -> Result<Option<Frame>, String> {
    let [first, second, rest @ ..] = &read[..] else {
        return Ok(None);
    };
    if second & 0x80 != 0 || first & 0x80 == 0 {
        return Err("a masked frame, or a piece of one".to_owned());
    }
    let (length, head) = match (second & 0x7f, rest) {
        (126, [high, low, ..]) => (usize::from(u16::from_be_bytes([*high, *low])), 4),
        (126, _) => return Ok(None),
        (127, _) => return Err(format!("a word of more than {MOST_WORD_BYTES} bytes")),
        (short, _) => (usize::from(short), 2),
    };
    if length > MOST_WORD_BYTES {
        return Err(format!("a word of {length} bytes"));
    }
    if read.len() < head + length {
        return Ok(None);
    }
    let opcode = first & 0x0f;
    let content = read.drain(..head + length).skip(head).collect();
    Ok(Some(match opcode {
        1 => Frame::Text(content),
        8 => Frame::Close,
        _ => Frame::Other,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_taken_out_whole_and_in_order() {
        let long = vec![b'x'; 300];
        let mut read = vec![0x81, 2, b'h', b'i', 0x89, 0, 0x81, 126, 1, 44];
        read.extend(&long);
        read.extend([0x88, 2, 3, 232, 0x81]);
        let mut taken = Vec::new();
        while let Some(frame) = frame(&mut read).unwrap() {
            taken.push(frame);
        }
        let text = |text: &[u8]| Frame::Text(text.to_vec());
        assert_eq!(
            taken,
            [text(b"hi"), Frame::Other, text(&long), Frame::Close]
        );
        assert_eq!(read, [0x81], "the rest of the next one has not come");
    }

    #[test]
    fn what_no_server_sends_is_refused() {
        for wrong in [[0x81, 0x82], [0x01, 2], [0x81, 127]] {
            assert!(frame(&mut wrong.to_vec()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_head_ends_with_an_empty_line() {
        assert_eq!(end_of_head(b"HTTP/1.1 101 x\r\na: b\r\n\r\n\x81"), Some(24));
        assert_eq!(end_of_head(b"HTTP/1.1 101 x\r\na: b\r\n"), None);
    }
}
