//! What suites and measurements need from package registries, installed once outside the tree.
//!
//! `$HIGHWATER_CACHE`, or `~/.cache/highwater`. Each item has a stamp that holds what it was made
//! from, so a change of version installs it anew and a second run does nothing.

use crate::exec;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    pub fn open() -> Result<Cache, String> {
        let given = std::env::var_os("HIGHWATER_CACHE").map(PathBuf::from);
        let home =
            std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/highwater"));
        let folder = given.or(home).ok_or("set HIGHWATER_CACHE to a folder: there is no HOME")?;
        std::fs::create_dir_all(&folder).map_err(|error| exec::told(&folder, &error))?;
        Ok(Cache { folder })
    }

    /// The folder with the jars of Kafka 4.4.0 and its tools.
    pub fn kafka(&self) -> Result<PathBuf, String> {
        let pom = exec::root().join("compat/kafka/pom.xml");
        let libs = self.folder.join("kafka-4.4.0/libs");
        self.once(&libs, &read(&pom)?, || {
            need("java", "a JDK 17 or newer (Debian: apt-get install default-jdk-headless)")?;
            need("mvn", "Maven (Debian: apt-get install maven)")?;
            eprintln!("  installing Kafka's jars with Maven");
            let mut mvn = Command::new("mvn");
            mvn.args(["-q", "-B", "-f"]).arg(&pom);
            mvn.args(["dependency:copy-dependencies", "-DincludeScope=runtime"]);
            mvn.arg(format!("-DoutputDirectory={}", libs.display()));
            exec::stdout_of(&mut mvn).map(|_| ())
        })?;
        Ok(libs)
    }

    /// The interpreter of a virtual environment with the packages of `compat/requirements.txt`.
    pub fn python(&self) -> Result<PathBuf, String> {
        let requirements = exec::root().join("compat/requirements.txt");
        let folder = self.folder.join("python");
        let python = folder.join("bin/python");
        self.once(&folder, &read(&requirements)?, || {
            need(
                "python3",
                "Python 3.9 or newer with venv (Debian: apt-get install python3-venv)",
            )?;
            eprintln!("  installing Python packages");
            exec::stdout_of(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
            let mut pip = Command::new(&python);
            pip.args(["-m", "pip", "install", "-q", "-r"]).arg(&requirements);
            exec::stdout_of(&mut pip).map(|_| ())
        })?;
        Ok(python)
    }

    /// The unpacked source of a Python package.
    pub fn python_source(&self, name: &str, version: &str) -> Result<PathBuf, String> {
        let python = self.python()?;
        let folder = self.folder.join(format!("{name}-{version}"));
        let unpacked = folder.join(format!("{}-{version}", name.replace('-', "_")));
        self.once(&folder, version, || {
            eprintln!("  fetching the source of {name} {version}");
            let mut pip = Command::new(&python);
            pip.args(["-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d"]);
            exec::stdout_of(pip.arg(&folder).arg(format!("{name}=={version}")))?;
            let archive = format!("{}-{version}.tar.gz", name.replace('-', "_"));
            let mut tar = Command::new("tar");
            exec::stdout_of(tar.current_dir(&folder).arg("xzf").arg(archive)).map(|_| ())
        })?;
        Ok(unpacked)
    }

    /// The program of `compat/<suite>`, or the test binary of a package it names.
    pub fn go(&self, suite: &str, tests_of: Option<&str>) -> Result<PathBuf, String> {
        let module = exec::root().join("compat").join(suite);
        let name = tests_of.unwrap_or(suite).rsplit('/').next().unwrap_or(suite);
        let binary = self.folder.join("go").join(format!("{suite}-{name}"));
        let program = read(&module.join("main.go")).unwrap_or_default();
        self.once(&binary, &(read(&module.join("go.mod"))? + &program), || {
            need("go", "Go 1.24 or newer (Debian: apt-get install golang-go)")?;
            eprintln!("  building {suite} with Go");
            let mut go = Command::new("go");
            go.current_dir(&module);
            match tests_of {
                Some(package) => go.args(["test", "-c", "-o"]).arg(&binary).arg(package),
                None => go.args(["build", "-o"]).arg(&binary).arg("."),
            };
            exec::stdout_of(&mut go).map(|_| ())
        })?;
        Ok(binary)
    }

    /// Where Go keeps the source of a package of `compat/<suite>/go.mod`.
    pub fn go_package(&self, suite: &str, package: &str) -> Result<PathBuf, String> {
        let mut go = Command::new("go");
        go.current_dir(exec::root().join("compat").join(suite));
        let folder = exec::stdout_of(go.args(["list", "-f", "{{.Dir}}", package]))?;
        Ok(PathBuf::from(folder.trim()))
    }

    /// A writable copy of a crate's source.
    pub fn crate_source(&self, name: &str, version: &str) -> Result<PathBuf, String> {
        let folder = self.folder.join("rust").join(format!("{name}-{version}"));
        self.once(&folder, version, || {
            eprintln!("  fetching the source of {name} {version}");
            let fetch = self.folder.join("rust").join(format!("fetch-{name}"));
            let source = fetch.join("src");
            std::fs::create_dir_all(&source).map_err(|error| exec::told(&source, &error))?;
            let manifest = format!(
                "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\
                 [dependencies]\n{name} = {{ version = \"={version}\", default-features = false }}\n\
                 [workspace]\n"
            );
            let path = fetch.join("Cargo.toml");
            std::fs::write(&path, manifest).map_err(|error| exec::told(&path, &error))?;
            let lib = source.join("lib.rs");
            std::fs::write(&lib, "").map_err(|error| exec::told(&lib, &error))?;
            let mut metadata = Command::new("cargo");
            metadata.current_dir(&fetch).args(["metadata", "--format-version=1"]);
            let text = exec::stdout_of(&mut metadata)?;
            let from = source_of(&text, name).ok_or(format!("cargo did not fetch {name}"))?;
            std::fs::remove_dir_all(&folder).ok();
            exec::stdout_of(Command::new("cp").arg("-r").arg(&from).arg(&folder))?;
            let toolchain = folder.join("rust-toolchain.toml");
            std::fs::remove_file(toolchain).ok();
            append(&folder.join("Cargo.toml"), "\n[workspace]\n")
        })?;
        Ok(folder)
    }

    /// Shared by the Rust suites, and no part of the workspace's own.
    pub fn rust_target(&self) -> PathBuf {
        self.folder.join("rust/target")
    }

    /// A program of a Debian package; installed when we are root and it is missing.
    pub fn debian(&self, program: &str, package: &str) -> Result<(), String> {
        if exec::has(program) {
            return Ok(());
        }
        let root = exec::stdout_of(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
        if !root || !exec::has("apt-get") {
            return Err(format!("{program} is missing: install the package {package}"));
        }
        eprintln!("  installing {package} with apt-get");
        exec::stdout_of(Command::new("apt-get").args(["update", "-qq"]))?;
        let mut install = Command::new("apt-get");
        install.env("DEBIAN_FRONTEND", "noninteractive");
        exec::stdout_of(install.args(["install", "-y", "-qq", "--no-install-recommends", package]))
            .map(|_| ())
    }

    /// Does `make` unless `item` was made from the same before.
    fn once(
        &self,
        item: &Path,
        made_from: &str,
        make: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        let mut stamp = item.as_os_str().to_owned();
        stamp.push(".made-from");
        let stamp = PathBuf::from(stamp);
        let same = std::fs::read_to_string(&stamp).is_ok_and(|before| before == made_from);
        if same && item.exists() {
            return Ok(());
        }
        std::fs::remove_file(&stamp).ok();
        if let Some(parent) = item.parent() {
            std::fs::create_dir_all(parent).map_err(|error| exec::told(parent, &error))?;
        }
        make()?;
        std::fs::write(&stamp, made_from).map_err(|error| exec::told(&stamp, &error))
    }
}

fn source_of(metadata: &str, name: &str) -> Option<PathBuf> {
    let metadata: Value = serde_json::from_str(metadata).ok()?;
    let mut packages = metadata["packages"].as_array()?.iter();
    let manifest = packages.find(|package| package["name"] == name)?["manifest_path"].as_str()?;
    Path::new(manifest).parent().map(Path::to_path_buf)
}

fn append(path: &Path, text: &str) -> Result<(), String> {
    let old = read(path)?;
    let new = if old.contains(text.trim()) { old } else { old + text };
    std::fs::write(path, new).map_err(|error| exec::told(path, &error))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| exec::told(path, &error))
}

fn need(program: &str, what: &str) -> Result<(), String> {
    if exec::has(program) { Ok(()) } else { Err(format!("{program} is missing: install {what}")) }
}
