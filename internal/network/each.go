package network

import "sync"

// atOnce bounds how many calls for one post are made side by side.
const atOnce = 4

// Each does n things for one post, a few at a time, and returns the first error in their order. Once one has
// failed, no further one begins; those that have begun are finished.
func Each(n int, do func(i int) error) error {
	errs := make([]error, n)
	var failed sync.Once
	stop := make(chan struct{})
	places := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i := range n {
		places <- struct{}{}
		select {
		case <-stop:
			<-places
			continue
		default:
		}
		all.Go(func() {
			defer func() { <-places }()
			if errs[i] = do(i); errs[i] != nil {
				failed.Do(func() { close(stop) })
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
