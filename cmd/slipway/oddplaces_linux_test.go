package main

// oddPlace is a file that commands read, with the cheapest of these first.
type oddPlace struct {
	file     string // with * for all that match
	commands []string
	bare     bool // there is no slipway.yaml
}

var oddPlaces = []oddPlace{
	{file: "p/slipway.yaml", commands: []string{"check"}},
	{file: "p/.ko.yaml", commands: []string{"check"}},
	{file: "p/text.txt", commands: []string{"build"}},
	{file: "p/kodata/data.txt", commands: []string{"build"}},
	{file: "lib/go.mod", commands: []string{"build"}},
	{file: "lib/lib.go", commands: []string{"build"}},
	{file: "p/.gitignore", commands: []string{"build", "check"}},
	{file: "p/.gitattributes", commands: []string{"build"}},
	{file: "p/.gitmodules", commands: []string{"build"}},
	{file: "p/inner/.gitignore", commands: []string{"build"}},
	{file: "p/inner/.gitattributes", commands: []string{"build"}},
	{file: "p/.git/HEAD", commands: []string{"build"}},
}
