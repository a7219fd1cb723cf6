// Package powershell holds the script for Windows nodes to PowerShell's grammar, since PowerShell
// itself is not in Debian. It is a module of its own because the parser is C.
package powershell
