include settings.mk
sources := $(wildcard sources/*.c)
objects := $(sources:sources/%.c=obj/%.o)
$(info settings from $(wildcard $(MAKEFILE_LIST)))
$(info board: $(board), flags: $(flags), flash $(flash_kb) KB)

flash: image.bin
	@echo "flash: $(PORT): device says kestrel rev C, 512 KB"
	@echo "flash: image is for $(board), device left as it was"
	@test $(board) = kestrel

image.bin: $(objects)
	@cat $^ > $@
	@echo "image.bin: $(words $^) objects, $$(wc -c < $@) bytes of $(flash_kb) KB"

obj/%.o: sources/%.c
	@mkdir -p obj; sleep 0.7; cp $< $@
	@echo "arm-none-eabi-gcc $(flags) -c $< -o $@"
