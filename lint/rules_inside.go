package lint

// linkExec is what a runtime starts.
const linkExec = "https://github.com/opencontainers/image-spec/blob/main/config.md#properties"

// insideRules are about the files in the layers of published images. slipway audit -deep looks for
// them, by the checks with which slipway stage build looks at its own images.
var insideRules = []Rule{
	{
		ID: "index-layers-differ", Severity: Error,
		Title: "the image's layers are those of another operating system than its entry's",
		Reason: "Layers for Windows have the directories Files and Hives, and those for Linux have the files " +
			"themselves. A node unpacks the layers in vain, or refuses them.",
		Instead: "the image that was built for this platform",
		Link:    "https://github.com/microsoft/hcsshim",
	},
	{
		ID: "index-windows-name", Severity: Error, OS: windows,
		Title:   "a file of the image has a name that Windows does not allow, or differs from another in case alone",
		Reason:  "The node does not unpack the layer, has the file under another name, or has one of two.",
		Instead: "an image without the file, or with another name for it",
		Link:    "https://learn.microsoft.com/windows/win32/fileio/naming-a-file",
	},
	{
		ID: "index-program-differs", Severity: Error,
		Title: "the program that the image starts is none for the platform of its entry",
		Reason: "The program does not start: `exec format error`, or `not a valid application for this OS platform`. " +
			"An empty file, an ELF file that was cut short, and a text that does not begin with `#!` are not " +
			"programs either.",
		Instead: "a whole program for this platform: COPY of one file is the same for all of them",
		Link:    linkExec,
	},
	{
		ID: "index-entrypoint-missing", Severity: Error,
		Title:   "the image lacks the program that it starts",
		Reason:  "Its containers end with `no such file or directory` or `executable file not found`.",
		Instead: "an image with the program, or with the right ENTRYPOINT or CMD",
		Link:    linkExec,
	},
	{
		ID: "index-entrypoint-mode", Severity: Error, OS: linux,
		Title: "the image's user may not execute the program that it starts, or enter a directory above it",
		Reason: "Its containers end with `permission denied`, unless they have the capability DAC_OVERRIDE: containerd " +
			"gives it also to users other than root, but neither Docker does, nor a pod with `drop: [ALL]`, which " +
			"the restricted Pod Security Standard asks for.",
		Instead: "COPY --chmod=0755, or another user",
		Link:    linkExec,
	},
	{
		ID: "index-interpreter-missing", Severity: Error, OS: linux,
		Title: "the image lacks the interpreter of the program that it starts, or its user may not execute it",
		Reason: "The kernel starts a script by the program in its first line, and a program with shared libraries by " +
			"its loader. Without that its containers end with `no such file or directory`, about a file that is there. " +
			"`#!/usr/bin/env bash` needs `bash` as well.",
		Instead: "a base that has it, or a program that is linked statically",
		Link:    "https://man7.org/linux/man-pages/man2/execve.2.html",
	},
	{
		ID: "index-library-missing", Severity: Error,
		Title:   "the image lacks a shared library that the program needs at its start",
		Reason:  "The loader ends the program before it begins, on Windows with 0xc0000135.",
		Instead: "a base that has the library, or a program that is linked statically",
		Link:    "https://man7.org/linux/man-pages/man8/ld.so.8.html",
	},
	{
		ID: "index-user-unknown", Severity: Error, OS: linux,
		Title: "the image's user is not in its /etc/passwd, or no number of one",
		Reason: "Runtimes look a name up in the image, also root's, and refuse to start a container whose user they " +
			"do not find.",
		Instead: "a number, which needs no file, or a user that the image has",
		Link:    linkExec,
	},
}
