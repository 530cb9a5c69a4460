//! `completion`: scripts that let a shell complete the command line.

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::failure::Outcome;

const EXAMPLES: &str = "\
Examples:
  highwater completion bash > ~/.local/share/bash-completion/completions/highwater
  highwater completion zsh > \"${fpath[1]}/_highwater\"
  highwater completion fish > ~/.config/fish/completions/highwater.fish";

/// Print a script that completes this program's commands in a shell.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompletionArgs {
    /// The shell to print it for
    shell: SupportedShell,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SupportedShell {
    Bash,
    Zsh,
    Fish,
}

pub fn run(args: &CompletionArgs) -> Outcome {
    let shell = match args.shell {
        SupportedShell::Bash => Shell::Bash,
        SupportedShell::Zsh => Shell::Zsh,
        SupportedShell::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "highwater", &mut script);
    Ok(std::io::Write::write_all(&mut std::io::stdout(), &script)?)
}
