import Foundation
import Testing

/// What is written in shell: packages, jobs of CI services, the steps of the action. `make scripts` checks it, and
/// `make test` leaves it out.
enum ShellScripts {
    static let areAsked = ProcessInfo.processInfo.environment["DRYDOCK_SCRIPTS"] == "1"
    static let hint: Comment = "make scripts checks it"
}

/// What the scripts of packages need beside a shell.
enum PackageTools {
    static let arePresent =
        has("tar", "gzip", "readelf", "python3") && FileManager.default.fileExists(atPath: "/bin/true")

    static func has(_ names: String...) -> Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return names.allSatisfy { name in
            folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
        }
    }
}

/// What `Scripts/dist/tree` makes, with stand-ins.
struct PackageTree {
    static let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Scripts/dist").path
    let project: Project

    init(_ project: Project) throws {
        self.project = project
        let library = "\(project.folder.path)/libsqlite3.so.0"
        try project.write("tree/version", "drydock 9.8.7 (SQLite 3.45.6, \(library))\n")
        for file in [
            "man/man1/drydock.1", "bash-completion/completions/drydock", "zsh/site-functions/_drydock",
            "fish/vendor_completions.d/drydock.fish", "doc/drydock/LICENSE",
            "doc/drydock/LICENSES-OF-LIBRARIES",
        ] {
            try project.write("tree/share/\(file)", "This is \(file).\n")
        }
        // Any library does: the wheel's tag is the newest C library that a file needs.
        let setUp = try project.shell(
            "cd '\(project.folder.path)' && mkdir tree/bin && cp /bin/true libsqlite3.so.0 && cp /bin/true tree/bin/drydock"
        )
        #expect(setUp.status == 0, "\(setUp.errors)")
    }

    /// Makes one package of the tree.
    func make(_ package: String, into folder: String) throws -> Project.Result {
        try project.shell(
            """
            cd '\(project.folder.path)' && mkdir -p '\(folder)' && umask \(folder.hasSuffix("2") ? "077" : "002") &&
                SOURCE_DATE_EPOCH=1700000000 '\(Self.scripts)/\(package)' tree '\(folder)'
            """)
    }
}

/// The packages of `make dist`, made of a tree with stand-ins.
@Suite(
    .enabled(if: ShellScripts.areAsked, ShellScripts.hint),
    .enabled(if: PackageTools.arePresent, "it needs tar, gzip, readelf and python3"))
struct PackageTests {
    @Test(arguments: ["tarball", "debian", "wheel"])
    func `the same tree gives the same bytes, whenever and by whom it is packed`(_ package: String) throws {
        guard package != "debian" || PackageTools.has("dpkg-deb") else { return }
        let tree = try PackageTree(Project())
        for folder in ["one", "two2"] {
            let made = try tree.make(package, into: folder)
            #expect(made.status == 0, "\(made.errors)")
            _ = try tree.project.shell(
                "cd '\(tree.project.folder.path)'/tree && find . -exec touch -d 2001-02-03 {} + && chmod -R go-r ."
            )
        }
        let compared = try tree.project.shell(
            "cd '\(tree.project.folder.path)'/one && for file in *; do cmp \"$file\" ../two2/\"$file\"; done")
        #expect(compared.status == 0, "\(compared.output)\(compared.errors)")
    }

    @Test func `an archive unpacks into one folder`() throws {
        let tree = try PackageTree(Project())
        _ = try tree.make("tarball", into: "out")
        let listed = try tree.project.shell(
            "cd '\(tree.project.folder.path)'/out && sha256sum --check --quiet *.sha256 && tar -tvzf drydock-9.8.7-linux-$(uname -m).tar.gz"
        )
        #expect(listed.status == 0, "\(listed.errors)")
        for (mode, path) in [
            ("-rwxr-xr-x", "bin/drydock"), ("-rw-r--r--", "share/man/man1/drydock.1"),
            ("-rw-r--r--", "share/bash-completion/completions/drydock"), ("-rw-r--r--", "LICENSE"),
            ("-rw-r--r--", "README.md"),
        ] {
            let line = listed.output.split(separator: "\n").first { $0.hasSuffix("/\(path)") }
            #expect(
                line?.hasPrefix("\(mode) 0/0") == true && line?.contains(" drydock-9.8.7-linux-") == true,
                "\(path)")
        }
    }

    /// As an installer reads it: https://packaging.python.org/en/latest/specifications/binary-distribution-format/
    @Test func `a wheel's record is of what is in it, and its tag is the C library's`() throws {
        let tree = try PackageTree(Project())
        let made = try tree.make("wheel", into: "out")
        #expect(made.status == 0, "\(made.errors)")
        try tree.project.write(
            "read.py",
            """
            import base64, csv, glob, hashlib, io, platform, subprocess, sys, zipfile
            wheel = zipfile.ZipFile(glob.glob("out/*.whl")[0])
            assert wheel.testzip() is None
            names = wheel.namelist()
            info, data = "drydock-9.8.7.dist-info/", "drydock-9.8.7.data/"
            record = {row[0]: row[1:] for row in csv.reader(io.StringIO(wheel.read(info + "RECORD").decode()))}
            assert sorted(record) == sorted(names) and len(set(names)) == len(names), (record, names)
            for name, (digest, size) in record.items():
                if name == info + "RECORD":
                    assert (digest, size) == ("", "")
                    continue
                body = wheel.read(name)
                right = base64.urlsafe_b64encode(hashlib.sha256(body).digest()).decode().rstrip("=")
                assert (digest, int(size)) == ("sha256=" + right, len(body)), name
            mode = {entry.filename: oct(entry.external_attr >> 16) for entry in wheel.infolist()}
            assert mode[data + "scripts/drydock"] == "0o100755" and mode[info + "METADATA"] == "0o100644"
            for name in ["data/lib/drydock/libsqlite3.so.0", "data/share/man/man1/drydock.1"]:
                assert data + name in names
            assert info + "licenses/LICENSE" in names
            needs = subprocess.run(["readelf", "-V", "/bin/true"], capture_output=True, text=True).stdout
            newest = max(tuple(map(int, word[6:].strip("()").split("."))) for word in needs.split() if word[:6] == "GLIBC_")
            tag = "py3-none-manylinux_%d_%d_%s" % (*newest[:2], platform.machine())
            assert "Tag: " + tag + "\\n" in wheel.read(info + "WHEEL").decode()
            assert wheel.filename == "out/drydock-9.8.7-" + tag + ".whl", wheel.filename
            metadata = wheel.read(info + "METADATA").decode()
            assert "Version: 9.8.7\\n" in metadata and "SQLite 3.45.6" in metadata
            """)
        let read = try tree.project.shell("cd '\(tree.project.folder.path)' && python3 read.py")
        #expect(read.status == 0, "\(read.errors)")
    }

    @Test(.enabled(if: PackageTools.has("dpkg-deb"), "it needs dpkg-deb"))
    func `a Debian package needs SQLite and the C library alone`() throws {
        let tree = try PackageTree(Project())
        let made = try tree.make("debian", into: "out")
        #expect(made.status == 0, "\(made.errors)")
        let fields = try tree.project.shell(
            "cd '\(tree.project.folder.path)'/out && dpkg-deb -f *.deb Package Version Depends && dpkg-deb -c *.deb"
        )
        #expect(fields.output.hasPrefix("Package: drydock\nVersion: 9.8.7\n"))
        #expect(
            fields.output.contains(/Depends: libc6 \(>= 2\.[0-9.]+\), libsqlite3-0 \(>= 3\.34\.0\)\n/),
            "\(fields.output)")
        for path in [
            "bin/drydock", "share/man/man1/drydock.1.gz", "share/bash-completion/completions/drydock",
            "share/zsh/vendor-completions/_drydock", "share/fish/vendor_completions.d/drydock.fish",
            "share/doc/drydock/copyright", "share/doc/drydock/changelog.gz",
        ] {
            #expect(fields.output.contains(" ./usr/\(path)\n"), "\(path)")
        }
        #expect(
            fields.output.split(separator: "\n").allSatisfy {
                !$0.contains("/") || $0.contains(" root/root ") || $0.contains("Depends")
            })
    }
}

/// The completions that packages install, in the shells that are here.
@Suite struct CompletionTests {
    private let project: Project
    /// Puts the built tool on the PATH and its completions into a file.
    private let setUp = """
        cd "$HERE" && mkdir -p bin && ln -sf "$DRYDOCK" bin/drydock && export PATH="$PWD/bin:$PATH"

        """

    init() throws { project = try Project() }

    private func run(_ script: String) throws -> Project.Result {
        try project.write("script", setUp + script)
        return try project.shell("export HERE='\(project.folder.path)'; bash \"$HERE/script\"")
    }

    @Test(
        .enabled(if: PackageTools.has("bash")),
        arguments: [("drydock ver", "verify"), ("drydock verify --strict --form", "--format")])
    func `bash completes commands and flags`(_ line: String, _ reply: String) throws {
        let result = try run(
            """
            drydock --generate-completion-script bash > completion && source ./completion
            COMP_LINE='\(line)' COMP_POINT=\(line.count) COMP_TYPE=9 COMP_KEY=9
            COMP_WORDS=(\(line)) && COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            function=$(complete -p drydock | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
            "$function" drydock "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            echo "${COMPREPLY[@]}"
            """)
        #expect(
            result.output.split(separator: "\n").last.map(String.init) == reply,
            "\(result.output)\(result.errors)")
    }

    @Test(.enabled(if: PackageTools.has("zsh"), "it needs zsh")) func `zsh loads its completions`() throws {
        let result = try run(
            """
            mkdir functions && drydock --generate-completion-script zsh > functions/_drydock && zsh -n functions/_drydock &&
                zsh -fc 'fpath=($PWD/functions $fpath); autoload -U compinit && compinit -u -D && echo $_comps[drydock]'
            """)
        #expect(result.status == 0 && result.output == "_drydock\n", "\(result.output)\(result.errors)")
    }

    @Test(.enabled(if: PackageTools.has("fish"), "it needs fish")) func `fish completes commands and flags`()
        throws
    {
        let result = try run(
            """
            drydock --generate-completion-script fish > drydock.fish && export HOME=$PWD
            fish --no-config -c 'source drydock.fish; complete -C "drydock ver"; complete -C "drydock verify --form"' | cut -f 1
            """)
        #expect(result.output == "verify\n--format\n", "\(result.output)\(result.errors)")
    }
}
