package media

const maxTold = 10_000

// private notes a box that Clean takes out.
func (m *movie) private(b box) error {
	if !tells(b) {
		return nil
	}
	harmless, err := m.harmless(b, 0)
	if err != nil || harmless {
		return err
	}
	m.facts.Private = true
	if m.told = append(m.told, b); len(m.told) > maxTold {
		return refuse(reasonManyParts)
	}
	return nil
}

// tells names the boxes that hold what people and programs wrote about a video: places, times, makers
// (14496-12, 8.10 and 8.11; QuickTime File Format, User Data Atoms).
func tells(b box) bool {
	switch b.name {
	case "udta", "meta", "uuid":
		return true
	}
	return false
}

// harmless tells whether a box holds nothing but the name of the program that wrote it, as most videos have.
func (m *movie) harmless(b box, depth int) (bool, error) {
	switch b.name {
	case "hdlr", "free", "skip", "\xa9too", "\xa9swr", "\xa9enc":
		return true, nil
	case "udta", "ilst":
	case "uuid": // Spherical Video V1: how a video of all directions is to be shown
		id, err := m.f.upTo(b.data, 16)
		return string(id) == "\xff\xcc\x82\x63\xf8\x55\x4a\x93\x88\x14\x58\x7a\x02\x52\x1f\xdd", err
	case "meta": // which in MP4 begins with four bytes that QuickTime does not have (14496-12, 8.11.1)
		if b.length() >= 8 {
			head, err := m.f.bytes(b.data, 8)
			if err != nil {
				return false, err
			}
			if string(head[4:]) != "hdlr" {
				b.data += 4
			}
		}
	default:
		return false, nil
	}
	if depth == 3 {
		return false, nil
	}
	all := true
	err := m.children(b, func(b box) error {
		harmless, err := m.harmless(b, depth+1)
		all = all && harmless
		return err
	})
	if isRefusal(err) { // what cannot be read is not known to be harmless
		return false, nil
	}
	return all, err
}

// telemetry tells a track of data about the recording, such as its places, from one to be shown.
func (t *track) telemetry() bool { return t.handler == "meta" || t.handler == "camm" }
