package main

// longFlags lets long flags be written with one dash, as Go programs and mage have them:
// -registry=… becomes --registry=…. One letter after the dash (-q, -h) is left alone, as is
// everything behind "--". pflag would read -registry as -r -e -g ….
func longFlags(args []string) []string {
	long := make([]string, len(args))
	for i, a := range args {
		if a == "--" {
			copy(long[i:], args[i:])
			break
		}
		if len(a) > 2 && a[0] == '-' && isLetter(a[1]) && a[2] != '=' {
			a = "-" + a
		}
		long[i] = a
	}
	return long
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
