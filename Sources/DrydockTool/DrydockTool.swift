import DrydockCommands
import Foundation

@main
enum DrydockTool {
    static func main() async {
        if let status = DrydockCommand.prepare() { exit(status) }
        await DrydockCommand.start()
    }
}
