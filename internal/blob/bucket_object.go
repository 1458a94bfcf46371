package blob

import (
	"context"
	"fmt"

	"github.com/minio/minio-go/v7"
)

// object is an object in a bucket. The library requests ranges of exactly the version that was opened.
type object struct {
	*minio.Object
	size int64
}

func (o object) Size() int64 { return o.size }

func (b *bucket) Open(ctx context.Context, key string) (Object, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	o, err := b.core.Client.GetObject(ctx, b.name, b.prefix+key, minio.GetObjectOptions{})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", key, err)
	}
	info, err := o.Stat()
	if err == nil {
		return object{o, info.Size}, nil
	}
	_ = o.Close() // it was not read
	if isNotFound(err) {
		err = ErrNotFound
	}
	return nil, fmt.Errorf("open %s: %w", key, err)
}
