// Package powershell checks the script for Windows nodes by PowerShell's grammar, since PowerShell
// itself is not in Debian. It is a module of its own because the parser is C.
package powershell
