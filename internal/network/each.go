package network

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// callsAtOnce bounds how many calls for one post are made side by side.
const callsAtOnce = 4

// CallEach makes a reversible call for each input, a few at a time, and returns the results in the order of the
// inputs. The first error ends the calls that are still running and is returned.
func CallEach[In, Out any](
	ctx context.Context, inputs []In, call func(context.Context, In) (Out, error),
) ([]Out, error) {
	results := make([]Out, len(inputs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(callsAtOnce)
	for i, input := range inputs {
		group.Go(func() (err error) {
			results[i], err = call(ctx, input)
			return err
		})
	}
	return results, group.Wait()
}
