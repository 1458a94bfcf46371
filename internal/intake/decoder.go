package intake

import "context"

// Decoder decodes one picture at a time, because large pictures need a lot of memory. All Services of a process share
// one. It is safe for concurrent use.
type Decoder struct {
	decoding   turn
	converting turn // so that at most one conversion waits for decoding, and thumbnails do not wait for all of them
}

// turn contains a token while someone has the turn. The others get it in the order in which they came.
type turn chan struct{}

// NewDecoder returns a Decoder.
func NewDecoder() *Decoder { return &Decoder{make(turn, 1), make(turn, 1)} }

// decodeExclusively calls decode while no other picture is decoded. It returns an error if ctx ends before decode
// begins.
func (d *Decoder) decodeExclusively(ctx context.Context, decode func() ([]byte, error)) (picture []byte, err error) {
	err = d.decoding.waitAndRun(ctx, func() error {
		picture, err = decode()
		return err
	})
	return picture, err
}

// convertExclusively calls convert while no other picture is converted. convert decodes with decodeExclusively. It
// returns an error if ctx ends before convert begins.
func (d *Decoder) convertExclusively(ctx context.Context, convert func() error) error {
	return d.converting.waitAndRun(ctx, convert)
}

// waitAndRun calls do when nobody else has the turn. It returns an error if ctx ends first.
func (t turn) waitAndRun(ctx context.Context, do func() error) error {
	select {
	case t <- struct{}{}:
		defer func() { <-t }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return do()
}
