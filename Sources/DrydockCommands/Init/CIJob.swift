import ArgumentParser
import Drydock

/// A job that runs Drydock for every change.
enum CIJob: String, CaseIterable, ExpressibleByArgument {
    case github, gitlab

    /// Where the service looks for it, from the root of the repository.
    var path: String {
        switch self {
        case .github: ".github/workflows/drydock.yml"
        case .gitlab: ".gitlab-ci.yml"
        }
    }

    /// What is to be set before the job can run.
    var remedy: String {
        switch self {
        case .github:
            "set the repository's variable DRYDOCK_REPOSITORY to the URL of Drydock's Git repository (Settings, Secrets "
                + "and variables, Actions, Variables): the job builds Drydock from there"
        case .gitlab:
            "set the project's variable DRYDOCK_REPOSITORY to the URL of Drydock's Git repository (Settings, CI/CD, "
                + "Variables): the job builds Drydock from there"
        }
    }

    /// Returns the job.
    /// - Parameter folder: the folder of drydock.yml, from the root of the repository; empty for the root.
    func text(in folder: String) -> String {
        switch self {
        case .github: Self.github(folder)
        case .gitlab: Self.gitlab(folder)
        }
    }

    private static func github(_ folder: String) -> String {
        let place =
            folder.isEmpty
            ? ""
            : """
                defaults:
                  run:
                    working-directory: \(ConfigTemplate.scalar(folder))

            """
        return """
            # Replays the migrations for every change. The variable DRYDOCK_REPOSITORY of the repository is the URL of
            # Drydock's Git repository, from which each of its commits is built once.
            name: drydock
            on: [push, pull_request]
            permissions:
              contents: read
            jobs:
              migrations:
                runs-on: ubuntu-latest
                container: swift:6.2
            \(place)    steps:
                  - uses: actions/checkout@v4
                  - name: Find Drydock
                    id: drydock
                    working-directory: /tmp
                    env:
                      DRYDOCK_REPOSITORY: ${{ vars.DRYDOCK_REPOSITORY }}
                    run: |
                      git ls-remote "${DRYDOCK_REPOSITORY:?is not set: the URL of Drydock}" HEAD > drydock-head
                      echo "commit=$(cut -f 1 drydock-head)" >> "$GITHUB_OUTPUT"
                  - uses: actions/cache@v4
                    with:
                      path: ~/.drydock
                      key: drydock-${{ steps.drydock.outputs.commit }}
                  - name: Install Drydock
                    id: install
                    working-directory: /tmp
                    env:
                      DRYDOCK_REPOSITORY: ${{ vars.DRYDOCK_REPOSITORY }}
                    run: |
                      apt-get update && apt-get install -y --no-install-recommends libsqlite3-0 make xz-utils zstd
                      if [ ! -x "$HOME/.drydock/bin/drydock" ]; then
                        git clone --depth 1 "$DRYDOCK_REPOSITORY" drydock
                        make -C drydock install PREFIX="$HOME/.drydock"
                      fi
                      echo "$HOME/.drydock/bin" >> "$GITHUB_PATH"
                  - run: drydock lint
                  - run: drydock verify
                    # What lint reports does not hide what verify finds.
                    if: ${{ !cancelled() && steps.install.outcome == 'success' }}

            """
    }

    private static func gitlab(_ folder: String) -> String {
        let place = folder.isEmpty ? "" : "    - cd -- \(Self.argument(folder))\n"
        let report = (folder.isEmpty ? "" : folder + "/") + ContinuousIntegration.codeQuality
        return """
            # Lints and replays the migrations for every change. The variable DRYDOCK_REPOSITORY of the project is the URL
            # of Drydock's Git repository, from which each of its commits is built once.
            drydock:
              # A job each, since a job has one report for the merge request.
              parallel:
                matrix:
                  - DRYDOCK_COMMAND: [lint, verify]
              image: swift:6.2
              variables:
                XDG_CACHE_HOME: $CI_PROJECT_DIR/.cache
              cache:
                key: drydock
                paths: [.cache/drydock, .cache/drydock-tool]
              before_script:
                - apt-get update && apt-get install -y --no-install-recommends libsqlite3-0 make xz-utils zstd
                - git ls-remote "${DRYDOCK_REPOSITORY:?is not set}" HEAD > /tmp/drydock-head
                - tool="$XDG_CACHE_HOME/drydock-tool/$(cut -f 1 /tmp/drydock-head)"
                - |
                  if [ ! -x "$tool/bin/drydock" ]; then
                    rm -rf "$XDG_CACHE_HOME/drydock-tool"
                    git clone --depth 1 "$DRYDOCK_REPOSITORY" /tmp/drydock
                    make -C /tmp/drydock install PREFIX="$tool"
                  fi
                - export PATH="$tool/bin:$PATH"
              script:
            \(place)    - drydock "$DRYDOCK_COMMAND"
              artifacts:
                when: always
                reports:
                  codequality: \(ConfigTemplate.scalar(report))

            """
    }

    /// Returns a path as a shell takes it, in a line of YAML.
    private static func argument(_ path: String) -> String {
        let isPlain = path.allSatisfy { $0.isLetter || $0.isNumber || "/._-@+".contains($0) }
        return isPlain ? path : "\"" + path.filter { !"\"$`\\\n".contains($0) } + "\""
    }
}
