package tiktok

// Parts returns the size of the parts of a file, except the last, and their number.
func Parts(size int64) (part, count int64) {
	h := newUnstartedVideoHandle(size)
	return h.Part, h.countVideoParts()
}
