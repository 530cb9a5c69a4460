//! Which broker the tests are for.

use std::env;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The binary.
    Highwater(PathBuf),
    /// The folder with the jars.
    Kafka(PathBuf),
    /// `host:port` of a broker that runs already. Whether it is Kafka is not known; it is taken
    /// for one, as nobody needs this for Highwater.
    Running(String),
}

impl Target {
    /// As the environment says (see the crate's table); without a word, the `highwater` beside
    /// the folder of the test that runs, which is where cargo puts it.
    pub fn from_env() -> Target {
        if let Ok(bootstrap) = env::var("HIGHWATER_TEST_BOOTSTRAP") {
            return Target::Running(bootstrap);
        }
        if let Some(libs) = env::var_os("HIGHWATER_TEST_KAFKA") {
            return Target::Kafka(libs.into());
        }
        let named = env::var_os("HIGHWATER_BIN").or_else(|| env::var_os("CARGO_BIN_EXE_highwater"));
        let binary = named.map(PathBuf::from).or_else(beside_the_test);
        let binary = binary.filter(|path| path.exists());
        Target::Highwater(binary.expect("a highwater binary: build it, or set HIGHWATER_BIN"))
    }

    pub fn is_kafka(&self) -> bool {
        !matches!(self, Target::Highwater(_))
    }
}

fn beside_the_test() -> Option<PathBuf> {
    let test = env::current_exe().ok()?;
    Some(test.parent()?.parent()?.join("highwater"))
}
