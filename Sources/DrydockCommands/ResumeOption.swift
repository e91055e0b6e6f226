import ArgumentParser

/// The option `--resume`.
enum ResumeOption {
    static let help = ArgumentHelp(
        "A file in which each result is noted at once. Given again after a kill, what is done is not done again, unless the database or the settings have changed.",
        valueName: "path")
}
