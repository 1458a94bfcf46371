package link

// ForgotPassword asks for a link for choosing a new password (GET, POST).
const ForgotPassword = "/forgot-password"

// Outbox shows the emails that the sandbox keeps.
const Outbox = "/sandbox/_/mail"

// ResetPassword returns the address of a link for choosing a new password (GET) and of its form (POST).
func ResetPassword(token string) string { return joinPath("/reset-password", token) }

// PasswordRequested is the page after ForgotPassword's form.
const PasswordRequested = ForgotPassword + "?sent=1"

// SignInAfterReset is the sign-in page for a person who has just chosen a new password.
const SignInAfterReset = SignIn + "?changed=1"
