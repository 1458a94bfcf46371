package core

import "strconv"

// FormatThousands formats a number for people, with a comma between thousands.
func FormatThousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// FormatBytes formats a size for people, rounded to three digits, such as 2 GB.
func FormatBytes(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	size, unit := float64(n), ""
	for _, unit = range []string{"kB", "MB", "GB", "TB", "PB", "EB"} {
		size /= 1000
		if size < 999.5 { // a size that rounds to 1000 gets the next unit
			break
		}
	}
	return strconv.FormatFloat(size, 'g', 3, 64) + " " + unit
}
