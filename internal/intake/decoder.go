package intake

import "context"

// Decoder decodes one picture at a time, because large pictures need a lot of memory. All Services of a process share
// one. It is safe for concurrent use.
type Decoder struct {
	turn chan struct{} // contains a token while a picture is decoded
}

// NewDecoder returns a Decoder.
func NewDecoder() *Decoder { return &Decoder{turn: make(chan struct{}, 1)} }

// decodeExclusively calls decode while no other picture is decoded. It returns an error if ctx ends before
// decode begins.
func (d *Decoder) decodeExclusively(ctx context.Context, decode func() ([]byte, error)) ([]byte, error) {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return decode()
}
