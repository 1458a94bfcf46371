package media

// private notes a box that Clean would take out, anywhere but in the tracks' own data.
func (m *movie) private(b box) error {
	if m.facts.Private || !tells(b) {
		return nil
	}
	harmless, err := m.harmless(b, 0)
	m.facts.Private = !harmless
	return err
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
	if IsRefusal(err) { // what cannot be read is not known to be harmless
		return false, nil
	}
	return all, err
}
