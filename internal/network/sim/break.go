package sim

import (
	"errors"
	"io"
)

// errBrokenOff is what reading the body of a call ends with when a fault breaks its connection.
var errBrokenOff = errors.New("the connection broke off")

// uploadBody is the body of a call that its network reads while the call is performed. It counts what arrives, and ends
// where a fault breaks the connection.
type uploadBody struct {
	io.ReadCloser
	kit    *Kit
	call   Call
	broken bool
}

func (b *uploadBody) Read(p []byte) (int, error) {
	if b.broken {
		return 0, errBrokenOff
	}
	if left, breaks := b.kit.Faults.bytesUntilBreak(b.call); breaks && len(p) > left {
		p = p[:left]
	}
	n, err := b.ReadCloser.Read(p)
	b.kit.Calls.addUploaded(b.call.Network, n)
	if b.kit.Faults.countBytes(b.call, n) {
		b.broken, err = true, errBrokenOff
	}
	return n, err
}

// bytesUntilBreak returns after how many more bytes of a call a fault breaks it off; false if none does.
func (f *Faults) bytesUntilBreak(c Call) (left int, breaks bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range f.active {
		if x.Kind == BreakOff && x.matchesCall(c) && (!breaks || x.AfterBytes-x.counted < left) {
			left, breaks = x.AfterBytes-x.counted, true
		}
	}
	return left, breaks
}

// countBytes counts bytes of a call that have arrived, and reports whether a fault breaks it off now.
func (f *Faults) countBytes(c Call, n int) (broken bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range f.active {
		if x.Kind != BreakOff || !x.matchesCall(c) {
			continue
		}
		if x.counted += n; x.counted >= x.AfterBytes {
			x.counted, broken = 0, true
			x.Fired++
		}
	}
	if broken {
		f.retireSpent()
	}
	return broken
}
