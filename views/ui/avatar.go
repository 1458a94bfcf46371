package ui

import "hash/fnv"

// hues is the number of background colors of avatars without a picture (static/css/avatar.css).
const hues = 12

// avatarHueIndex returns the number of an avatar's color, below hues. It is always the same for a name.
func avatarHueIndex(name string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return int(h.Sum32() % hues)
}
