package sim

import (
	"bytes"
	"hash/fnv"
	"image"
	paint "image/color"
	"image/png"
	"net/http"
)

const (
	pictureCells = 5
	pictureCell  = 24
)

// Picture serves a generated profile picture: a mirrored pattern that depends on the name only.
func (k *Kit) Picture(w http.ResponseWriter, r *http.Request, name string) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	seed := h.Sum(nil)
	ink := paint.RGBA{R: 40 + seed[0]%140, G: 40 + seed[1]%140, B: 40 + seed[2]%140, A: 255}
	paper := paint.RGBA{R: 238, G: 240, B: 243, A: 255}

	side := (pictureCells + 2) * pictureCell
	img := image.NewPaletted(image.Rect(0, 0, side, side), paint.Palette{paper, ink})
	for y := range pictureCells {
		for x := range pictureCells {
			column := min(x, pictureCells-1-x)
			if seed[3+column]>>y&1 == 0 {
				continue
			}
			fillCell(img, (x+1)*pictureCell, (y+1)*pictureCell)
		}
	}
	var body bytes.Buffer
	if err := png.Encode(&body, img); err != nil {
		http.Error(w, "no picture", http.StatusInternalServerError)
		return
	}
	k.noteRequest(r, func(rec *CallRecord) { rec.Status = http.StatusOK })
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write(body.Bytes())
}

func fillCell(img *image.Paletted, left, top int) {
	for y := top; y < top+pictureCell; y++ {
		for x := left; x < left+pictureCell; x++ {
			img.SetColorIndex(x, y, 1)
		}
	}
}
