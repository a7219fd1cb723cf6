// Package powershell checks the script for Windows nodes by PowerShell's grammar, since PowerShell
// itself is not in Debian. It is not in Slipway's module because the parser is C.
package powershell
