package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// SignedIn is a person who has just signed in, and the workspace to show first.
type SignedIn struct {
	User      core.UserID
	Name      string
	Workspace core.WorkspaceID
	Slug      string
	// Proof is stored in the session. It becomes invalid when the password changes.
	Proof string
	// DeviceCookie is the new value of the browser's device cookie.
	DeviceCookie string
}

// Browser is what limits on sign-ins know about the browser of a person.
type Browser struct {
	AddressKey   string // the key under which limits count the browser's network address
	DeviceCookie string // the value of its device cookie; "" if it has none
}

// Limits on password checks: a number of attempts at once, and then one per interval. A correct password does not
// count toward the limit of the account, but does count toward the limit of the address. Otherwise, somebody with an
// account could use it to gain attempts at other accounts.
const (
	passwordTriesPerAddress    = 20
	passwordIntervalPerAddress = 10 * time.Second

	// An account allows at most maxPasswordChecks in any passwordWindow: half of them at once, and the others spread
	// over the window.
	maxPasswordChecks          = 10
	passwordWindow             = 15 * time.Minute
	passwordTriesPerAccount    = maxPasswordChecks / 2
	passwordIntervalPerAccount = passwordWindow / (maxPasswordChecks - passwordTriesPerAccount)
)

// SignIn signs a person in with an email address and a password. An unknown address and a wrong password get the same
// response after the same time. A browser in which the person has signed in before has its own limit, which strangers
// cannot use up.
func (a *App) SignIn(ctx context.Context, in contract.SignIn, from Browser) (SignedIn, error) {
	user, err := a.findUserOrEmailOnly(ctx, in.Email)
	if err != nil {
		return SignedIn{}, err
	}
	if err := a.throttleVerifyAndAuditPassword(ctx, user, in.Password, from, errWrongEmailOrPassword()); err != nil {
		return SignedIn{}, err
	}
	memberships, err := a.cfg.Store.Memberships(ctx, user.ID)
	if err != nil {
		return SignedIn{}, fmt.Errorf("list the workspaces of user %s: %w", user.ID, err)
	}
	if len(memberships) == 0 {
		return SignedIn{}, core.Fail(core.CodeInsufficientScope, "You are not a member of any workspace.").
			WithHint("Ask an owner or admin of a workspace to invite you.")
	}
	first := core.Workspace{ID: memberships[0].ID, Slug: memberships[0].Slug}
	return a.rememberDeviceAndAuditSignIn(ctx, user, first, from)
}

// findUserOrEmailOnly returns the person with an email address. For an unknown address, the result contains only the
// address: it has no id and no password.
func (a *App) findUserOrEmailOnly(ctx context.Context, email string,
) (userOrEmailOnly store.SignInUser, err error) {
	email = strings.TrimSpace(email)
	user, err := a.cfg.Store.UserForSignIn(ctx, email)
	if errors.Is(err, store.ErrNotFound) {
		return store.SignInUser{Email: email}, nil
	}
	if err != nil {
		return user, fmt.Errorf("look up a person by email address: %w", err)
	}
	return user, nil
}

// throttleVerifyAndAuditPassword counts an attempt to sign in, and returns wrongErr unless the password is the
// person's. After too many attempts, it returns rate_limited. It takes the same time for an unknown person as for a
// known one.
func (a *App) throttleVerifyAndAuditPassword(ctx context.Context, user store.SignInUser, password string, from Browser,
	wrongErr error,
) error {
	bucket, err := a.throttlePasswordAttempt(ctx, user, from)
	if err != nil {
		return err
	}
	return a.verifyPasswordAndAuditOrRefund(ctx, user, password, bucket, wrongErr)
}

// verifyPasswordAndAuditOrRefund returns wrongErr unless the password is the person's. If the password is correct, it
// refunds the attempt to refundBucket, in which the attempt was counted. Otherwise, it writes the failed attempt to the
// audit log, even for an unknown person, so that the response time does not reveal whether the person exists.
func (a *App) verifyPasswordAndAuditOrRefund(ctx context.Context, user store.SignInUser, password, refundBucket string,
	wrongErr error,
) error {
	var right bool
	var err error
	if user.ID.IsZero() {
		err = a.passwords.VerifyDummy(ctx, password)
	} else {
		right, err = a.passwords.Verify(ctx, user.PasswordHash, password)
	}
	if err != nil {
		return err
	}
	if !right {
		if err := a.cfg.Store.AuditFailedSignInIfPersonKnown(ctx, newAuditActor(user.ID)); err != nil {
			return fmt.Errorf("write to the audit log: %w", err)
		}
		return wrongErr
	}
	if err := a.cfg.Store.RefundCountedAction(ctx, refundBucket, passwordIntervalPerAccount); err != nil {
		return fmt.Errorf("refund a sign-in attempt: %w", err)
	}
	return nil
}

// throttlePasswordAttempt counts an attempt and returns the bucket in which it was counted: the browser's bucket if the
// browser is one of the person's devices, or else the account's. It returns rate_limited after too many attempts.
func (a *App) throttlePasswordAttempt(ctx context.Context, user store.SignInUser, from Browser,
) (bucket string, err error) {
	known, err := a.isKnownDevice(ctx, user.ID, from.DeviceCookie)
	if err != nil {
		return "", err
	}
	bucket = "sign-in/device/" + hex.EncodeToString(hashDevice(from.DeviceCookie))
	if !known {
		bucket = accountBucketName(user.Email)
		if err := a.throttleSignInsFromAddress(ctx, from); err != nil {
			return "", err
		}
	}
	return bucket, a.throttleSignIns(ctx, bucket, passwordTriesPerAccount, passwordIntervalPerAccount)
}

// throttleSignInsFromAddress counts an attempt toward the limit of the browser's network address, and returns
// rate_limited if the attempt is over that limit.
func (a *App) throttleSignInsFromAddress(ctx context.Context, from Browser) error {
	return a.throttleSignIns(ctx, "sign-in/address/"+from.AddressKey, passwordTriesPerAddress, passwordIntervalPerAddress)
}

// accountBucketName returns the name of an account's bucket, whether the account exists or not. The name does not
// contain the email address.
func accountBucketName(email string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(email)))
	return "sign-in/account/" + hex.EncodeToString(sum[:])
}

// throttleSignIns counts an attempt in a bucket, which allows burst attempts at once and then one per interval. It
// returns rate_limited if the attempt is over that limit.
func (a *App) throttleSignIns(ctx context.Context, bucket string, burst int, interval time.Duration) error {
	wait, err := a.cfg.Store.CountActionUnlessThrottled(ctx, bucket, burst, interval)
	if err != nil {
		return fmt.Errorf("throttle sign-in attempts: %w", err)
	}
	if wait > 0 {
		a.cfg.Metrics.CountRateLimited(limitNameSignIn)
		return errRateLimited(wait, "Too many password attempts.", "Wait, then try again.")
	}
	return nil
}

// errWrongEmailOrPassword does not say which of the two is wrong, so that nobody learns which addresses have an
// account.
func errWrongEmailOrPassword() error {
	return core.Fail(core.CodeUnauthenticated,
		"The email address or the password is wrong.").WithHint("Check both and try again.")
}

// rememberDeviceAndAuditSignIn stores the browser as one of the person's devices, writes the audit log, and returns the
// result of the sign-in.
func (a *App) rememberDeviceAndAuditSignIn(
	ctx context.Context, user store.SignInUser, w core.Workspace, from Browser,
) (SignedIn, error) {
	var cookie string
	err := a.cfg.Store.Tx(ctx, func(s *store.Store) (err error) {
		if cookie, err = a.saveDeviceAndGetCookie(ctx, s, user.ID, from.DeviceCookie); err != nil {
			return err
		}
		return s.AddAuditEntry(ctx, core.AuditEntry{Action: core.AuditSignedIn, Actor: newAuditActor(user.ID)})
	})
	if err != nil {
		return SignedIn{}, err
	}
	return SignedIn{
		User: user.ID, Name: user.Name, Workspace: w.ID, Slug: w.Slug, Proof: SessionProof(user.PasswordHash),
		DeviceCookie: cookie,
	}, nil
}

const (
	// DeviceLifetime is how long after its last sign-in a browser counts as one of the person's devices. Browsers do
	// not keep cookies for longer.
	DeviceLifetime = 400 * 24 * time.Hour

	deviceBytes   = 32 // 256 bit
	purposeDevice = "device"
)

func hashDevice(deviceCookie string) []byte {
	hash := secret.HashToken(purposeDevice, deviceCookie)
	return hash[:]
}

// isKnownDevice reports whether the person has signed in before in the browser with this device cookie.
func (a *App) isKnownDevice(ctx context.Context, user core.UserID, deviceCookie string) (bool, error) {
	if deviceCookie == "" {
		return false, nil
	}
	known, err := a.cfg.Store.HasDevice(ctx, user, hashDevice(deviceCookie))
	if err != nil {
		return false, fmt.Errorf("look up a device: %w", err)
	}
	return known, nil
}

// saveDeviceAndGetCookie stores the browser as one of the person's devices and returns the value of its device cookie:
// the existing value if it is this person's, or a new one. It never accepts a value that somebody else chose.
func (a *App) saveDeviceAndGetCookie(ctx context.Context, s *store.Store, user core.UserID, deviceCookie string,
) (currentCookie string, err error) {
	known, err := a.isKnownDevice(ctx, user, deviceCookie)
	if err != nil {
		return "", err
	}
	if !known {
		deviceCookie = secret.RandomText(deviceBytes)
	}
	if err := s.SaveDeviceAndDeleteSurplus(ctx, user, hashDevice(deviceCookie), a.cfg.Now()); err != nil {
		return "", fmt.Errorf("remember a device: %w", err)
	}
	return deviceCookie, nil
}

// VerifyOwnPasswordAndAudit returns nil if the password is that of the signed-in person, and writes the audit log. For
// a while, the person may then change keys, members and the workspace: the dashboard stores the time in the session
// (Session.ProvedAt). A wrong password is invalid_request. Only a few attempts are allowed, because the session may be
// stolen.
func (a *App) VerifyOwnPasswordAndAudit(ctx context.Context, c core.Caller, password string) error {
	t, err := a.authorizeSession(c)
	if err != nil {
		return err
	}
	person, err := t.MemberUser(ctx, c.AttributedUser())
	if err != nil {
		return err
	}
	user, err := a.findUserOrEmailOnly(ctx, person.Email)
	if err != nil {
		return err
	}
	bucket := "sign-in/session/" + user.ID.String()
	if err := a.throttleSignIns(ctx, bucket, passwordTriesPerAccount, passwordIntervalPerAccount); err != nil {
		return err
	}
	wrong := core.Invalid("", "The password is wrong. Check it and try again.")
	if err := a.verifyPasswordAndAuditOrRefund(ctx, user, password, bucket, wrong); err != nil {
		return err
	}
	return t.AddAuditEntry(ctx, core.AuditEntry{Action: core.AuditPasswordConfirmed, Actor: c})
}
