//! `serve`: runs the broker until a signal ends it.
//!
//! Owns where settings come from, the start screen and the signals. What the settings mean is
//! `config`'s, what the broker does is `broker`'s.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use highwater_broker::{LogLevels, RunningBroker, StartOptions};
use highwater_config::{Sources, StaticConfig, Warning};

use crate::cli::OWN_VARIABLES;
use crate::failure::{Failure, Outcome};
use crate::logging;
use crate::runtime;
use crate::signals::Signals;

const EXAMPLES: &str = "\
Examples:
  highwater serve
  highwater serve --data-dir /var/lib/highwater --listen 10.0.0.5:9092
  highwater serve --config server.properties --set log.retention.hours=24
  HIGHWATER_NUM_PARTITIONS=6 highwater serve

Settings have Kafka's names. What is given more than once: an option of this command wins over
the environment (HIGHWATER_ and the name in capitals, _ for .), the environment over the file.
Log lines go to standard error; HIGHWATER_LOG chooses which (default: warn,highwater=info).
SIGTERM or Ctrl-C stops the broker in order; a second one kills it.";

/// Start the broker.
///
/// Nothing is required: without arguments it listens on 127.0.0.1:9092 and keeps its data in
/// ./highwater-data, which it makes.
#[derive(Debug, Clone, Default, Args)]
#[command(after_help = EXAMPLES)]
pub struct ServeArgs {
    /// Where the data is kept (setting: log.dirs)
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,

    /// Where clients connect (setting: listeners)
    #[arg(long, value_name = "HOST:PORT", value_parser = parse_address)]
    pub listen: Option<Address>,

    /// The address that clients are told, if not the one listened on (setting:
    /// advertised.listeners)
    #[arg(long, value_name = "HOST:PORT", value_parser = parse_address)]
    pub advertise: Option<Address>,

    /// A properties file, such as Kafka's server.properties
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// A setting; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
}

/// What `--listen` takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
}

impl Address {
    /// As a listener of a setting.
    fn listener(&self) -> String {
        match self.host.contains(':') {
            true => format!("PLAINTEXT://[{}]:{}", self.host, self.port),
            false => format!("PLAINTEXT://{}:{}", self.host, self.port),
        }
    }

    fn is_wildcard(&self) -> bool {
        self.host.is_empty() || self.host.parse().is_ok_and(|ip: IpAddr| ip.is_unspecified())
    }
}

fn parse_address(text: &str) -> Result<Address, String> {
    let text = text.strip_prefix("PLAINTEXT://").unwrap_or(text);
    let bad = "expected HOST:PORT, such as 127.0.0.1:9092 or [::1]:9092";
    let (host, port) = text.rsplit_once(':').ok_or(bad)?;
    let port = port.parse().map_err(|_| "the port is not a number from 0 to 65535")?;
    let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    match bracketed {
        None if host.contains(':') => Err(bad.to_owned()),
        _ => Ok(Address { host: bracketed.unwrap_or(host).to_owned(), port }),
    }
}

pub fn run(args: &ServeArgs) -> Outcome {
    let log_levels = logging::start()?;
    let (settings, warnings) = load(args)?;
    for warning in &warnings {
        eprintln!("highwater: warning: {warning}");
    }
    let runtime = runtime::for_serving()?;
    let ended = runtime.block_on(serve(settings, log_levels));
    // Nothing that is left may hold up the end.
    runtime.shutdown_timeout(Duration::from_millis(100));
    ended
}

fn load(args: &ServeArgs) -> Outcome<(StaticConfig, Vec<Warning>)> {
    let properties = match &args.config {
        Some(path) => Some(read_properties(path)?),
        None => None,
    };
    let env: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| !OWN_VARIABLES.contains(&name.as_str()))
        .collect();
    let set = assignments(args);
    let sources = Sources { properties: properties.as_deref(), env: &env, set: &set };
    StaticConfig::load(&sources).map_err(Failure::usage)
}

fn read_properties(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))
}

/// The options that are short for a setting come last, so that they win.
fn assignments(args: &ServeArgs) -> Vec<String> {
    let mut set = args.set.clone();
    if let Some(dir) = &args.data_dir {
        set.push(format!("log.dirs={}", dir.display()));
    }
    if let Some(listen) = &args.listen {
        set.push(format!("listeners={}", listen.listener()));
    }
    if let Some(address) = args.advertise.clone().or_else(|| reachable(args.listen.as_ref()?)) {
        set.push(format!("advertised.listeners={}", address.listener()));
    }
    set
}

/// What to tell clients where every interface is listened on: the address that packets to other
/// networks leave from. Asking for it sends nothing.
fn reachable(listen: &Address) -> Option<Address> {
    if !listen.is_wildcard() {
        return None;
    }
    let asked = UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        // An address of the block for documentation: nobody has it.
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    let host = asked.map_or_else(|_| "127.0.0.1".to_owned(), |address| address.ip().to_string());
    Some(Address { host, port: listen.port })
}

async fn serve(settings: StaticConfig, log_levels: LogLevels) -> Outcome {
    let mut signals = Signals::new()?;
    let advertised = settings.get("advertised.listeners").map(str::to_owned);
    // Reading logs blocks: on a thread of its own, so that a signal is heard meanwhile.
    let options = StartOptions { settings, log_levels };
    let starting = tokio::spawn(highwater_broker::start(options));
    let broker = tokio::select! {
        started = starting => started.map_err(Failure::new)?.map_err(Failure::new)?,
        () = signals.next() => return Err(Failure::new("stopped before it had started")),
    };
    announce(&broker, advertised.as_deref())?;
    warn_if_open(&broker);
    signals.next().await;
    eprintln!("highwater: stopping; once more kills");
    tokio::spawn(async move {
        signals.next().await;
        std::process::exit(130);
    });
    broker.stop().await;
    Ok(())
}

fn announce(broker: &RunningBroker, advertised: Option<&str>) -> Outcome {
    let addresses: Vec<SocketAddr> = broker.addresses().iter().map(|(_, at)| *at).collect();
    let dir = broker.data_dir();
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    let screen = Screen {
        program: &program(),
        data_dir: &dir.display().to_string(),
        topics: broker.topic_count(),
        addresses: &addresses,
        advertised,
        node: broker.node_id().get(),
        cluster: broker.cluster_id(),
    };
    let mut out = io::stdout().lock();
    // Nobody may be reading: that is no reason not to serve.
    let _ = out.write_all(screen.text().as_bytes()).and_then(|()| out.flush());
    Ok(())
}

/// How this program was called, to be called again.
fn program() -> String {
    std::env::args().next().filter(|name| !name.is_empty()).unwrap_or_else(|| "highwater".into())
}

struct Screen<'a> {
    program: &'a str,
    data_dir: &'a str,
    topics: usize,
    addresses: &'a [SocketAddr],
    advertised: Option<&'a str>,
    node: i32,
    cluster: &'a str,
}

impl Screen<'_> {
    fn text(&self) -> String {
        let listening =
            self.addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let advertised = match self.advertised {
            Some(told) => format!(" (clients are told {told})"),
            None => String::new(),
        };
        let topics = match self.topics {
            0 => "no topics yet".to_owned(),
            1 => "1 topic".to_owned(),
            n => format!("{n} topics"),
        };
        let (program, to) = (self.program, self.target());
        format!(
            "Highwater {version}, speaks Kafka 4.4.0\n\
             \n\
             \x20 data       {data}, {topics}\n\
             \x20 listening  {listening}{advertised}\n\
             \x20 node       {node} of cluster {cluster}\n\
             \n\
             Point any Kafka client there, or try in another terminal:\n\
             \x20 {program} topic create demo{to}\n\
             \x20 echo hello | {program} produce demo{to}\n\
             \x20 {program} consume demo{to}\n\
             \n\
             Ctrl-C stops it.\n",
            version = env!("CARGO_PKG_VERSION"),
            data = self.data_dir,
            node = self.node,
            cluster = self.cluster,
        )
    }

    /// The option that leads a client here; none where it is the default.
    fn target(&self) -> String {
        match self.addresses.first() {
            Some(at) if at.port() != 9092 || !answers_at_loopback(at.ip()) => {
                let ip = if at.ip().is_unspecified() { [127, 0, 0, 1].into() } else { at.ip() };
                format!(" -b {}", SocketAddr::new(ip, at.port()))
            }
            _ => String::new(),
        }
    }
}

fn answers_at_loopback(ip: IpAddr) -> bool {
    ip == IpAddr::from([127, 0, 0, 1]) || ip.is_unspecified()
}

fn warn_if_open(broker: &RunningBroker) {
    for (_, at) in broker.addresses() {
        if !at.ip().is_loopback() {
            eprintln!(
                "highwater: warning: {at} can be reached from other machines and asks for no \
                 password: whoever reaches it may read, write and delete everything"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn address(host: &str, port: u16) -> Address {
        Address { host: host.to_owned(), port }
    }

    #[test]
    fn addresses_are_read() {
        assert_eq!(parse_address("127.0.0.1:9092"), Ok(address("127.0.0.1", 9092)));
        assert_eq!(parse_address(":0"), Ok(address("", 0)));
        assert_eq!(parse_address("[::1]:9092"), Ok(address("::1", 9092)));
        assert_eq!(parse_address("PLAINTEXT://h:1"), Ok(address("h", 1)));
        for text in ["9092", "h:", "h:65536", "::1:9092", ""] {
            assert!(parse_address(text).is_err(), "{text}");
        }
    }

    #[test]
    fn options_become_settings_and_win() {
        let args = ServeArgs {
            data_dir: Some("d".into()),
            listen: Some(address("::1", 9093)),
            set: vec!["log.dirs=other".into()],
            ..ServeArgs::default()
        };
        let expected = ["log.dirs=other", "log.dirs=d", "listeners=PLAINTEXT://[::1]:9093"];
        assert_eq!(assignments(&args), expected);
        let (settings, _) = load(&args).unwrap();
        assert_eq!(settings.get("log.dirs"), Some("d"));
    }

    #[test]
    fn every_interface_is_advertised_by_one_address() {
        let args = ServeArgs { listen: Some(address("0.0.0.0", 9092)), ..ServeArgs::default() };
        let (settings, _) = load(&args).unwrap();
        let advertised = settings.get("advertised.listeners").unwrap();
        assert!(!advertised.contains("0.0.0.0"), "{advertised}");
    }

    #[test]
    fn the_screen_says_what_to_try() {
        let screen = Screen {
            program: "highwater",
            data_dir: "/var/lib/highwater",
            topics: 1,
            addresses: &["0.0.0.0:9093".parse().unwrap()],
            advertised: Some("PLAINTEXT://10.0.0.5:9093"),
            node: 1,
            cluster: "Zm9v",
        };
        let text = screen.text().replace(env!("CARGO_PKG_VERSION"), "VERSION");
        expect![[r#"
            Highwater VERSION, speaks Kafka 4.4.0

              data       /var/lib/highwater, 1 topic
              listening  0.0.0.0:9093 (clients are told PLAINTEXT://10.0.0.5:9093)
              node       1 of cluster Zm9v

            Point any Kafka client there, or try in another terminal:
              highwater topic create demo -b 127.0.0.1:9093
              echo hello | highwater produce demo -b 127.0.0.1:9093
              highwater consume demo -b 127.0.0.1:9093

            Ctrl-C stops it.
        "#]]
        .assert_eq(&text);
    }
}
