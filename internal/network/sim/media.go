package sim

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // decoders of what networks take
	_ "image/png"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// Kinds of media a simulator recognises by its first bytes.
const (
	JPEG = "jpeg"
	PNG  = "png"
	MP4  = "mp4"
)

// Media is what a network learns about a file it downloaded.
type Media struct {
	Kind          string
	Size          int64
	Width, Height int     // of images
	Seconds       float64 // of videos, 0 when the file does not say
}

const (
	fetchTime = time.Minute
	// headKept is enough for the header boxes of a video that may be streamed, and for any image header.
	headKept = 4 << 20
	agent    = "facebookexternalhit/1.1"
)

// Fetch downloads an address as the networks do: without credentials, from the public net or this
// machine's loopback, never from a private network in between.
func (k *Kit) Fetch(ctx context.Context, address string) (Media, error) {
	if !k.mayFetch(address) {
		return Media{}, fmt.Errorf("fetch media: %s is not an address of this product", address)
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return Media{}, fmt.Errorf("fetch media: %w", err)
	}
	req.Header.Set("User-Agent", agent)
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: publicOrLoopback}
	transport := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}
	client := &http.Client{Transport: transport}
	resp, err := client.Do(req)
	if err != nil {
		return Media{}, fmt.Errorf("fetch media: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return Media{}, fmt.Errorf("fetch media: answer %d", resp.StatusCode)
	}
	head, err := io.ReadAll(io.LimitReader(resp.Body, headKept))
	if err != nil {
		return Media{}, fmt.Errorf("read media: %w", err)
	}
	rest, err := io.Copy(io.Discard, resp.Body)
	if err != nil {
		return Media{}, fmt.Errorf("read media: %w", err)
	}
	return Recognise(head, int64(len(head))+rest), nil
}

func (k *Kit) mayFetch(address string) bool {
	if len(k.cfg.MediaPrefixes) == 0 {
		return true
	}
	for _, p := range k.cfg.MediaPrefixes {
		if strings.HasPrefix(address, p) {
			return true
		}
	}
	return false
}

// publicOrLoopback looks at the resolved address of every dial, redirects included.
func publicOrLoopback(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("dial media host: %w", err)
	}
	ip := at.Addr().Unmap()
	if ip.IsLoopback() || (ip.IsGlobalUnicast() && !ip.IsPrivate()) {
		return nil
	}
	return errors.New("dial media host: the address is neither public nor loopback")
}

// Recognise looks at the first bytes of a file.
func Recognise(head []byte, size int64) Media {
	m := Media{Size: size}
	if config, kind, err := image.DecodeConfig(bytes.NewReader(head)); err == nil {
		m.Kind, m.Width, m.Height = kind, config.Width, config.Height
		return m
	}
	if len(head) >= 12 && string(head[4:8]) == "ftyp" {
		m.Kind, m.Seconds = MP4, duration(head)
	}
	return m
}

// duration reads moov/mvhd; a file without one before its data has none, since moov must come first.
func duration(data []byte) float64 {
	moov, ok := box(data, "moov")
	if !ok {
		return 0
	}
	head, ok := box(moov, "mvhd")
	if !ok || len(head) < 32 {
		return 0
	}
	scale, length := binary.BigEndian.Uint32(head[12:]), uint64(binary.BigEndian.Uint32(head[16:]))
	if head[0] == 1 {
		scale, length = binary.BigEndian.Uint32(head[20:]), binary.BigEndian.Uint64(head[24:])
	}
	if scale == 0 {
		return 0
	}
	return float64(length) / float64(scale)
}

func box(data []byte, name string) ([]byte, bool) {
	for len(data) >= 8 {
		size := uint64(binary.BigEndian.Uint32(data))
		if size < 8 || (string(data[4:8]) != name && size > uint64(len(data))) {
			return nil, false
		}
		if string(data[4:8]) == name {
			return data[8:min(size, uint64(len(data)))], true
		}
		data = data[size:]
	}
	return nil, false
}
