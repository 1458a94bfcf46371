package network

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// callsAtOnce is the maximum number of concurrent calls for one post.
const callsAtOnce = 4

// CallEachConcurrently makes a reversible call for each input, a few at a time, and returns the results in input order.
// It returns the first error, which cancels the other calls.
func CallEachConcurrently[In, Out any](
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
