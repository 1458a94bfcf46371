package link

// ForgotPassword shows the form for requesting a reset link (GET) and accepts it (POST).
const ForgotPassword = "/forgot-password"

// Outbox shows the emails that the sandbox keeps instead of sending them.
const Outbox = "/sandbox/_/mail"

// ResetPassword is a reset link. It shows the form for a new password (GET) and accepts it (POST).
func ResetPassword(token string) string { return joinPath("/reset-password", token) }

// PasswordRequested is the page after the form of ForgotPassword was sent.
const PasswordRequested = ForgotPassword + "?sent=1"

// SignInAfterReset is the sign-in page for a person who has just chosen a new password.
const SignInAfterReset = SignIn + "?changed=1"

// SignInEnded is the sign-in page for a person who has just signed out of all browsers.
const SignInEnded = SignIn + "?ended=1"
