package blob

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// maxTries is how often a request is sent before it fails. The library's default of ten tries takes minutes.
const maxTries = 3

// bucket is a store in an S3 bucket.
type bucket struct {
	core      *minio.Core
	transport *http.Transport
	host      string
	name      string
	prefix    string // of every key; empty, or ends with a slash
}

func newBucket(u *url.URL) (*bucket, error) {
	name, prefix := bucketAndPrefixOf(u)
	query := u.Query()
	region, secure := query.Get("region"), query.Get("tls") != "off"
	query.Del("region")
	if !secure {
		query.Del("tls")
	}
	switch {
	case u.Hostname() == "" || name == "":
		return nil, errors.New("the address has no host or no bucket: write s3://KEY:SECRET@HOST/BUCKET")
	case len(query) > 0 || u.Fragment != "":
		return nil, errors.New("an s3: address can have only the options ?region=REGION and &tls=off")
	case prefix != "" && checkKey(prefix) != nil:
		return nil, fmt.Errorf("the prefix after the bucket's name can be at most %d characters long and can contain only a-z 0-9 _ - . and /; "+
			"each part between slashes must begin with a letter, a digit or _", maxKeyLength)
	case prefix != "":
		prefix += "/"
	}
	creds, err := credentialsFromUserOrEnv(u.User)
	if err != nil {
		return nil, err
	}
	transport := newTransport(idleTimeout)
	core, err := minio.NewCore(u.Host, &minio.Options{
		Creds: creds, Secure: secure, Region: region, Transport: transport, MaxRetries: maxTries,
	})
	if err != nil {
		return nil, err
	}
	return &bucket{core, transport, u.Host, name, prefix}, nil
}

// credentialsFromUserOrEnv returns the credentials in the address or, if user is nil, those in the environment
// variables of S3 clients.
func credentialsFromUserOrEnv(user *url.Userinfo) (*credentials.Credentials, error) {
	if user == nil {
		creds := credentials.NewEnvAWS()
		if v, err := creds.GetWithContext(nil); err != nil || v.AccessKeyID == "" || v.SecretAccessKey == "" {
			return nil, errors.New("there are no credentials: write s3://KEY:SECRET@HOST/BUCKET, " +
				"or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
		}
		return creds, nil
	}
	secret, _ := user.Password()
	if user.Username() == "" || secret == "" {
		return nil, errors.New("the address must contain both a key and a secret: write s3://KEY:SECRET@HOST/BUCKET")
	}
	return credentials.NewStaticV4(user.Username(), secret, ""), nil
}

// isS3NotFound reports whether an error from the S3 server means that an object or upload does not exist.
func isS3NotFound(err error) bool {
	switch minio.ToErrorResponse(err).Code {
	case minio.NoSuchKey, minio.NoSuchUpload:
		return true
	}
	return false
}

func (b *bucket) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	err := b.core.RemoveObject(ctx, b.name, b.prefix+key, minio.RemoveObjectOptions{})
	if err != nil && !isS3NotFound(err) {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

func (b *bucket) Each(ctx context.Context, prefix, afterKey string, visit VisitFunc) error {
	opts := minio.ListObjectsOptions{Prefix: b.prefix + prefix, Recursive: true}
	if afterKey != "" {
		opts.StartAfter = b.prefix + afterKey
	}
	for o := range b.core.ListObjectsIter(ctx, b.name, opts) {
		if o.Err != nil {
			return fmt.Errorf("list the bucket %s: %w", b.name, o.Err)
		}
		key := strings.TrimPrefix(o.Key, b.prefix)
		if checkKey(key) != nil { // not written by this package
			continue
		}
		if err := visit(key, o.Size, o.LastModified); err != nil {
			return err
		}
	}
	return ctx.Err() // the listing ends without an error when its context ends
}

func (b *bucket) RemoveUnfinishedPuts(ctx context.Context, lastModifiedBefore time.Time) (removed int, err error) {
	key, upload := "", ""
	for {
		page, err := b.core.ListMultipartUploads(ctx, b.name, b.prefix, key, upload, "", 1000)
		if err != nil {
			return removed, fmt.Errorf("list unfinished uploads in the bucket %s: %w", b.name, err)
		}
		for _, u := range page.Uploads {
			if !u.Initiated.Before(lastModifiedBefore) || checkKey(strings.TrimPrefix(u.Key, b.prefix)) != nil {
				continue
			}
			if err := b.core.AbortMultipartUpload(ctx, b.name, u.Key, u.UploadID); err != nil && !isS3NotFound(err) {
				return removed, fmt.Errorf("remove an unfinished upload of %s: %w", u.Key, err)
			}
			removed++
		}
		if !page.IsTruncated {
			return removed, nil
		}
		key, upload = page.NextKeyMarker, page.NextUploadIDMarker
	}
}

func (b *bucket) CheckReadWrite(ctx context.Context) error {
	err := probeStore(ctx, b)
	if refusal := (minio.ErrorResponse{}); errors.As(err, &refusal) && refusal.Code == minio.NoSuchBucket {
		err = errors.New("there is no such bucket")
	}
	if err != nil {
		return fmt.Errorf("cannot use the bucket %s at %s: %w", b.name, b.host, err)
	}
	return nil
}

func (b *bucket) Close() error {
	b.transport.CloseIdleConnections()
	return nil
}

// object is an open object in a bucket. The library reads only the version that was opened.
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
	if isS3NotFound(err) {
		err = ErrNotFound
	}
	return nil, fmt.Errorf("open %s: %w", key, err)
}
