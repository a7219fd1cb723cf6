package run

import (
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/script"
)

// calls reads the scripts of those commands that start PowerShell.
func (s *State) calls(commands []script.Command) ([]script.Command, error) {
	var all []script.Command
	for _, c := range commands {
		name := strings.TrimSuffix(strings.ToLower(c.Args[0].Text), ".exe")
		if !s.Windows() || name != "powershell" && name != "pwsh" {
			all = append(all, c)
			continue
		}
		called, err := s.powershell(name, c.Texts()[1:])
		if err != nil {
			return nil, err
		}
		all = append(all, called...)
	}
	return all, nil
}

// powershell reads the words that PowerShell is started with: options, and a script that is joined
// of all words behind -Command.
func (s *State) powershell(name string, words []string) ([]script.Command, error) {
	text, option := "", ""
	for i := 0; i < len(words) && option == ""; i++ {
		switch w := strings.ToLower(words[i]); {
		case w == "-command" || w == "-c", !strings.HasPrefix(w, "-") && name == "powershell":
			if strings.HasPrefix(w, "-") {
				i++
			}
			text = strings.Join(words[i:], " ")
			i = len(words)
		case w == "-noprofile" || w == "-nologo" || w == "-noninteractive" || w == "-nop":
		case (w == "-executionpolicy" || w == "-ep") && i+1 < len(words):
			i++
		default:
			option = words[i]
		}
	}
	if option != "" || text == "" {
		return nil, mistake.At(name, "RUN %s %s: no command is run here: %s", name, option,
			s.ways("write -Command with commands that only change files"))
	}
	commands, err := script.PowerShell(text, s.windowsEnv)
	if why := elsewhere(name, text); err != nil && why != "" {
		err = mistake.At(name, "RUN %s: no command is run here: %s", name, s.ways(why))
	}
	return commands, err
}

// split reads the words of a command line as programs on Windows do: quotes keep blanks, and go.
func split(line string) []string {
	var words []string
	var word strings.Builder
	some, quoted := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			n := len(line[i:]) - len(strings.TrimLeft(line[i:], `\`))
			some = true
			if i += n - 1; i+1 == len(line) || line[i+1] != '"' {
				word.WriteString(strings.Repeat(`\`, n))
				continue
			}
			word.WriteString(strings.Repeat(`\`, n/2))
			if n%2 == 1 {
				word.WriteByte('"')
				i++
			}
		case c == '"':
			quoted, some = !quoted, true
		case !quoted && (c == ' ' || c == '\t'):
			if some {
				words = append(words, word.String())
			}
			word.Reset()
			some = false
		default:
			word.WriteByte(c)
			some = true
		}
	}
	if some {
		words = append(words, word.String())
	}
	return words
}
