package sim

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"image"
	paint "image/color"
	"image/jpeg"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// pictureLife is how long the address of a profile picture works. The networks sign such addresses; the shortest
// lifetime that any of them documents applies to all.
const pictureLife = 2 * time.Hour

const (
	pictureFolder = "/picture/"
	pictureSide   = 240
)

// portraits are the pictures of the demo's brands.
//
//go:embed portrait
var portraits embed.FS

// PictureURL returns the address of an account's profile picture at a site, which works for two hours.
func (k *Kit) PictureURL(site, id, name string) string {
	file := id + "_" + normalizePictureName(name) + ".jpg"
	ends := strconv.FormatInt(k.Now().Add(pictureLife).Unix(), 16)
	query := url.Values{"oe": {ends}, "oh": {k.signPicture(file, ends)}}
	return "https://" + site + pictureFolder + url.PathEscape(file) + "?" + query.Encode()
}

// normalizePictureName returns a name in lower case without punctuation, so that "Harbour Bakery" and "harbour.bakery"
// share a picture.
func normalizePictureName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

func (k *Kit) signPicture(file, ends string) string {
	mac := hmac.New(sha256.New, []byte("picture "+k.cfg.ClientSecret))
	_, _ = fmt.Fprintf(mac, "%s %s", file, ends)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// ServePicture serves a profile picture, if its address was signed less than two hours ago.
func (k *Kit) ServePicture(w http.ResponseWriter, r *http.Request, file string) {
	ends := r.URL.Query().Get("oe")
	until, err := strconv.ParseInt(ends, 16, 64)
	signed := hmac.Equal([]byte(r.URL.Query().Get("oh")), []byte(k.signPicture(file, ends)))
	if err != nil || !signed || k.Now().Unix() > until {
		k.updateRequestRecord(r, func(rec *CallRecord) { rec.Status = http.StatusForbidden })
		http.Error(w, "URL signature expired", http.StatusForbidden)
		return
	}
	name := file[strings.LastIndexByte(file, '_')+1:]
	body, err := portraits.ReadFile("portrait/" + name)
	if err != nil {
		body, err = drawPicture(file)
	}
	if err != nil {
		http.Error(w, "no picture", http.StatusInternalServerError)
		return
	}
	k.updateRequestRecord(r, func(rec *CallRecord) { rec.Status = http.StatusOK })
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "private, max-age=3600")
	_, _ = w.Write(body) //nolint:gosec // one of our own pictures, or one that was drawn here
}

// drawPicture draws a picture that depends only on the name: hills of one color in front of a sky of another.
func drawPicture(name string) ([]byte, error) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	seed := h.Sum(nil)
	sky, land := pictureColor(seed[0]), pictureColor(seed[0]+90+seed[1]%76)
	img := image.NewRGBA(image.Rect(0, 0, pictureSide, pictureSide))
	sun, at := float64(24+seed[2]%24), [2]float64{float64(60 + seed[3]%120), float64(50 + seed[4]%50)}
	for y := range pictureSide {
		for x := range pictureSide {
			fx, fy := float64(x), float64(y)
			c := mixColors(sky, paint.RGBA{R: 255, G: 246, B: 232, A: 255}, fy/pictureSide)
			if math.Hypot(fx-at[0], fy-at[1]) < sun {
				c = paint.RGBA{R: 255, G: 250, B: 240, A: 255}
			}
			for hill := range 3 {
				phase := float64(seed[5+hill]) / 20
				top := 130 + 34*float64(hill) + 18*math.Sin(fx/(34+9*float64(hill))+phase)
				if fy > top {
					c = mixColors(land, paint.RGBA{A: 255}, 0.12*float64(hill))
				}
			}
			img.SetRGBA(x, y, c)
		}
	}
	var body bytes.Buffer
	err := jpeg.Encode(&body, img, &jpeg.Options{Quality: 88})
	return body.Bytes(), err
}

// pictureColor returns one of 256 muted colors around the wheel.
func pictureColor(hue byte) paint.RGBA {
	part := func(shift float64) uint8 {
		return uint8(128 + 84*math.Cos(2*math.Pi*(float64(hue)/256-shift)))
	}
	return paint.RGBA{R: part(0), G: part(1.0 / 3), B: part(2.0 / 3), A: 255}
}

func mixColors(a, b paint.RGBA, shareOfB float64) paint.RGBA {
	mix := func(a, b uint8) uint8 { return uint8(float64(a)*(1-shareOfB) + float64(b)*shareOfB) }
	return paint.RGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 255}
}
