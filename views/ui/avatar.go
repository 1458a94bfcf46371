package ui

import "hash/fnv"

// hues is how many colors avatars without a picture have (static/css/avatar.css).
const hues = 12

// hueOf returns the color of a name, which is always the same.
func hueOf(name string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return int(h.Sum32() % hues)
}
