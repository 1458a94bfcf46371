package tiktok

// Parts is how large the parts of a file are, but the last, and how many.
func Parts(size int64) (part, count int64) {
	h := newVideoHandle(size)
	return h.Part, h.countParts()
}
