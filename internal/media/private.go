package media

const maxPrivateBoxes = 10_000

// notePrivateBox notes a box that Clean takes out: one that holds what people and programs wrote about a video, such as
// places, times and makers (14496-12, 8.10 and 8.11; QuickTime File Format, User Data Atoms).
func (m *movie) notePrivateBox(b box) {
	if b.name != "udta" && b.name != "meta" && b.name != "uuid" || m.isHarmlessBox(b, 0) {
		return
	}
	m.facts.Private = true
	m.privateBoxes = append(m.privateBoxes, b)
	refuseIf(len(m.privateBoxes) > maxPrivateBoxes, reasonManyParts)
}

// isHarmlessBox reports whether a box holds nothing but the name of the program that wrote it, as most videos have.
func (m *movie) isHarmlessBox(b box, depth int) bool {
	switch b.name {
	case "hdlr", "free", "skip", "\xa9too", "\xa9swr", "\xa9enc":
		return true
	case "udta", "ilst":
	case "uuid": // Spherical Video V1: how a video of all directions is to be shown
		return string(m.f.readUpTo(b.content, 16)) == "\xff\xcc\x82\x63\xf8\x55\x4a\x93\x88\x14\x58\x7a\x02\x52\x1f\xdd"
	case "meta": // which in MP4 begins with four bytes that QuickTime does not have (14496-12, 8.11.1)
		if b.contentLength() >= 8 && string(m.f.readBytes(b.content, 8)[4:]) != "hdlr" {
			b.content += 4
		}
	default:
		return false
	}
	if depth == 3 {
		return false
	}
	harmless := true
	err := catch(func() {
		for b := range m.children(b) {
			harmless = m.isHarmlessBox(b, depth+1) && harmless
		}
	})
	if isRefusal(err) { // what cannot be read is not known to be harmless
		return false
	}
	check(err)
	return harmless
}

// isTelemetry reports whether a track holds data about the recording, such as its places, and nothing to be shown.
func (t *track) isTelemetry() bool { return t.handler == "meta" || t.handler == "camm" }
