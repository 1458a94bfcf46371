package media_test

import (
	"bytes"
	"errors"
	"image/jpeg"
	"testing"

	"belfry/internal/media"
	"belfry/internal/media/mediatest"
)

func TestAnAvatarIsTheMiddleOfAPicture(t *testing.T) {
	t.Parallel()
	for name, picture := range map[string][]byte{
		"wide": mediatest.JPEG(640, 200), "tall": mediatest.PNG(90, 400), "small": mediatest.PNG(8, 8),
	} {
		small, err := media.MakeAvatar(t.Context(), picture)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		decoded, err := jpeg.Decode(bytes.NewReader(small))
		if err != nil || decoded.Bounds().Dx() != 96 || decoded.Bounds().Dy() != 96 {
			t.Errorf("%s: %v, %v", name, decoded.Bounds(), err)
		}
	}
}

func TestWhatIsNoPictureOrTooLargeIsNoAvatar(t *testing.T) {
	t.Parallel()
	for name, content := range map[string][]byte{
		"nothing": nil, "a page": []byte("<html><script>alert(1)</script></html>"),
		"a drawing": []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "many pixels": mediatest.BlackPNG(2600, 2600, 6),
		"the beginning": mediatest.JPEG(640, 200)[:900],
	} {
		small, err := media.MakeAvatar(t.Context(), content)
		if _, refused := errors.AsType[*media.Refusal](err); !refused {
			t.Errorf("%s: %d bytes, %v", name, len(small), err)
		}
	}
}
