package media

const maxPrivateBoxes = 10_000

// notePrivateBox notes a box that Clean takes out.
func (m *movie) notePrivateBox(b box) error {
	if !mayHoldMetadata(b) {
		return nil
	}
	harmless, err := m.isHarmlessBox(b, 0)
	if err != nil || harmless {
		return err
	}
	m.facts.Private = true
	if m.privateBoxes = append(m.privateBoxes, b); len(m.privateBoxes) > maxPrivateBoxes {
		return newRefusal(reasonManyParts)
	}
	return nil
}

// mayHoldMetadata names the boxes that hold what people and programs wrote about a video: places, times, makers
// (14496-12, 8.10 and 8.11; QuickTime File Format, User Data Atoms).
func mayHoldMetadata(b box) bool {
	switch b.name {
	case "udta", "meta", "uuid":
		return true
	}
	return false
}

// isHarmlessBox reports whether a box holds nothing but the name of the program that wrote it, as most videos have.
func (m *movie) isHarmlessBox(b box, depth int) (bool, error) {
	switch b.name {
	case "hdlr", "free", "skip", "\xa9too", "\xa9swr", "\xa9enc":
		return true, nil
	case "udta", "ilst":
	case "uuid": // Spherical Video V1: how a video of all directions is to be shown
		id, err := m.f.readUpTo(b.content, 16)
		return string(id) == "\xff\xcc\x82\x63\xf8\x55\x4a\x93\x88\x14\x58\x7a\x02\x52\x1f\xdd", err
	case "meta": // which in MP4 begins with four bytes that QuickTime does not have (14496-12, 8.11.1)
		if b.contentLength() >= 8 {
			head, err := m.f.readBytes(b.content, 8)
			if err != nil {
				return false, err
			}
			if string(head[4:]) != "hdlr" {
				b.content += 4
			}
		}
	default:
		return false, nil
	}
	if depth == 3 {
		return false, nil
	}
	all := true
	err := m.visitChildren(b, func(b box) error {
		harmless, err := m.isHarmlessBox(b, depth+1)
		all = all && harmless
		return err
	})
	if isRefusal(err) { // what cannot be read is not known to be harmless
		return false, nil
	}
	return all, err
}

// isTelemetry reports whether a track holds data about the recording, such as its places, and nothing to be shown.
func (t *track) isTelemetry() bool { return t.handler == "meta" || t.handler == "camm" }
