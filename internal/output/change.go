package output

// Change formats a value that may have changed.
func Change(was, is string) string {
	switch {
	case was == is && is == "":
		return "-"
	case was == is:
		return is
	case is == "":
		return was + " → -"
	case was == "":
		return "→ " + is
	}
	return was + " → " + is
}
