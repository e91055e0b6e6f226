import DrydockCommands
import Foundation

@main
enum DrydockTool {
    static func main() async {
        if let status = DrydockCommand.checkSystem() { exit(status) }
        if let status = await DrydockCommand.workOnLibrary() { exit(status) }
        if let status = DrydockCommand.prepare() { exit(status) }
        await DrydockCommand.start()
    }
}
