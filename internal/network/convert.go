package network

import (
	"fmt"

	"belfry/internal/core"
)

// ConversionForEachFile returns, for each file of a draft, the conversion that is sent in its place, or nil if the file
// is sent as it is.
func ConversionForEachFile(r Rules, d Draft) []*core.Conversion {
	content := r.Describe().Limits.ContentTypes[r.PostContentType(d)]
	all := make([]*core.Conversion, len(d.Media))
	for i, m := range d.Media {
		if limits := fileLimitsOrNil(content, m.Kind); limits != nil {
			all[i] = limits.ConversionOrNil(m.FileFacts)
		}
	}
	return all
}

// summarizeImageNames returns the first name and the number of other images.
func summarizeImageNames(names []string) string {
	switch others := len(names) - 1; others {
	case 0:
		return names[0]
	case 1:
		return names[0] + " and 1 other image"
	default:
		return fmt.Sprintf("%s and %d other images", names[0], others)
	}
}
