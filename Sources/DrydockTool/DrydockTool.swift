import DrydockCommands

@main
enum DrydockTool {
    static func main() async {
        await DrydockCommand.start()
    }
}
