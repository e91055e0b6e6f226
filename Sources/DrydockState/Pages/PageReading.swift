/// Whether tables are compared directly from the pages where possible. SQL alone reaches the same verdict more slowly;
/// tests compare the two.
package enum PageReading {
    @TaskLocal package static var isOn = true
}
