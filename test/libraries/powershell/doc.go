// Package powershell checks the script for Windows nodes by PowerShell's grammar, since
// PowerShell itself is not in Debian. The package is not in Slipway's module because the parser
// is C.
package powershell
