package main

// longFlags lets users write long flags with one dash, as for Go programs and mage:
// -registry=… becomes --registry=…. It leaves single letters (-q, -h) and everything
// after "--" alone. pflag itself would read -registry as -r -e -g ….
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
